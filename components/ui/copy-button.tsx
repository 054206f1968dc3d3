'use client'

import { Check, Copy } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import type { ButtonLook } from './button-look.ts'

const SAID_MS = 2000

/** Copies the text that `text` makes when pressed, and says that it did. */
export function CopyButton({
  text,
  look = 'quiet',
  children,
}: {
  text: () => string
  look?: ButtonLook
  children: ReactNode
}) {
  const [said, setSaid] = useState<'copied' | 'refused'>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = async () => {
    // Absent where the page did not come over https or from this very machine.
    const done = await (navigator.clipboard?.writeText(text()) ?? Promise.reject()).then(
      () => 'copied' as const,
      () => 'refused' as const,
    )
    setSaid(done)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setSaid(undefined), SAID_MS)
  }
  const Icon = said === 'copied' ? Check : Copy
  return (
    <Button look={look} onClick={copy}>
      <Icon aria-hidden="true" className="size-3.5" />
      {children}
      <span role="status" className={said === 'refused' ? 'text-danger' : 'sr-only'}>
        {said === 'copied' ? 'Copied' : said === 'refused' ? 'Not copied: the browser refused' : ''}
      </span>
    </Button>
  )
}
