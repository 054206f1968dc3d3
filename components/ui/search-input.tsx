'use client'

import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { isForPage } from './keys.ts'

const PAUSE_MS = 250

/**
 * Search box. Calls `onSearch` after a short pause, or immediately on Enter; `/` anywhere on the page moves the focus
 * here, Escape clears it. `value` is the present filter of the list.
 */
export function SearchInput({
  label,
  value,
  onSearch,
}: {
  label: string
  value: string
  onSearch: (text: string) => void
}) {
  const input = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [text, setText] = useState(value)
  const [appliedValue, setAppliedValue] = useState(value)
  // The filter was changed elsewhere (Clear, Back): the box follows, but never replaces text being typed.
  if (value !== appliedValue) {
    setAppliedValue(value)
    if (value !== text.trim()) setText(value)
  }

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || !isForPage(event)) return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('keydown', onKey)
      clearTimeout(timer.current)
    }
  }, [])

  const report = (next: string, wait: number) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => onSearch(next.trim()), wait)
  }

  return (
    <div className="relative w-52 shrink-0 max-md:w-full max-md:shrink print:hidden">
      <Search aria-hidden="true" className="absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-ink-3" />
      <input
        ref={input}
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={label}
        maxLength={200}
        value={text}
        onChange={(event) => report(event.target.value, PAUSE_MS)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') report(text, 0)
          if (event.key === 'Escape') report('', 0)
        }}
        className="h-8.5 w-full rounded-control border border-line-2 bg-surface pr-1 pl-8.5 text-sm text-ink max-md:h-11 max-md:text-lg"
      />
    </div>
  )
}
