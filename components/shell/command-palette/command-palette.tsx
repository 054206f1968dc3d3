'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Dialog } from '#components/ui/dialog.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { listMatches } from '#lib/workspace/client.ts'
import { actsOf, type Entry, matchDestinations, parseQuery, thingsOf } from './entries.ts'
import type { EarlyKeys } from './use-command-palette.tsx'

/** Command palette (combobox pattern): the arrow keys move through the results while the focus stays in the input. */
export function CommandPalette({
  destinations,
  earlyKeys,
  onClose,
}: {
  destinations: readonly Entry[]
  earlyKeys: () => EarlyKeys | undefined
  onClose: () => void
}) {
  const id = useId()
  const router = useRouter()
  const [typed, setTyped] = useState(() => earlyKeys()?.text ?? '')
  const [selected, setSelected] = useState<string>()
  const { entries, status, isWaiting } = usePaletteResults(typed, destinations)
  const at = Math.max(
    0,
    entries.findIndex(({ href }) => href === selected),
  )
  const list = useRef<HTMLDivElement>(null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another one is chosen
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [at])

  // Enter can be faster than the answer: it opens the result of the whole text, never of an earlier letter.
  const [entered, setEntered] = useState(() => (earlyKeys()?.isEntered ? { isAside: false } : undefined))
  const first = entries[0]
  useEffect(() => {
    if (!entered || isWaiting) return
    setEntered(undefined)
    if (first) go(first, entered.isAside)
  })

  const go = ({ href }: Entry, isAside: boolean) => {
    onClose()
    if (isAside) window.open(href, '_blank', 'noopener')
    else router.push(href)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // Ignore keys of an input method (IME composition).
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const entry = entries[at]
    if (step !== undefined) setSelected(entries.at((at + step) % entries.length)?.href)
    else if (event.key === 'Enter') {
      const isAside = event.ctrlKey || event.metaKey
      if (isWaiting && selected === undefined) setEntered({ isAside })
      else if (entry) go(entry, isAside)
    } else return
    event.preventDefault()
  }
  return (
    <Dialog title="Search" variant="finds" onClose={onClose}>
      <div className="relative border-b border-line">
        <Search aria-hidden="true" className="absolute top-1/2 left-4 size-4 -translate-y-1/2 text-ink-3" />
        <input
          role="combobox"
          aria-label="Search assets, invoices, companies and screens"
          aria-expanded={entries.length > 0}
          aria-controls={`${id}-found`}
          aria-activedescendant={entries.length > 0 ? `${id}-${at}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          placeholder="Asset, invoice, company, screen — or “business plus 245”"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            setSelected(undefined)
            setEntered(undefined)
          }}
          onKeyDown={onKeyDown}
          className="h-13 w-full bg-transparent pr-4 pl-11 text-lg text-ink outline-none"
        />
      </div>
      <div
        ref={list}
        id={`${id}-found`}
        role="listbox"
        aria-label="Found"
        className="max-h-[min(26rem,60vh)] overflow-y-auto p-1.5 empty:hidden"
      >
        {groupsOf(entries).map(({ group, first, members }) => (
          // biome-ignore lint/a11y/useSemanticElements: a list box has groups, and no field sets
          <div key={group} role="group" aria-label={group} className="pb-1.5 last:pb-0">
            <p aria-hidden="true" className="px-2.5 pt-1.5 pb-1 text-xs font-medium text-ink-3">
              {group}
            </p>
            {members.map((entry, index) => (
              <Option
                key={entry.href}
                id={`${id}-${first + index}`}
                entry={entry}
                selected={first + index === at}
                onHover={() => setSelected(entry.href)}
                onSelect={(isAside) => go(entry, isAside)}
              />
            ))}
          </div>
        ))}
      </div>
      <p role="status" className="border-t border-line px-4 py-2 text-xs text-ink-3">
        {status}
      </p>
    </Dialog>
  )
}

type OptionProps = {
  id: string
  entry: Entry
  selected: boolean
  onHover: () => void
  onSelect: (isAside: boolean) => void
}

function Option({ id, entry, selected, onHover, onSelect }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the box that has the focus hears the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the box keeps the focus, and names the one that is chosen
    <div
      id={id}
      role="option"
      aria-selected={selected}
      onPointerMove={onHover}
      onClick={(event) => onSelect(event.ctrlKey || event.metaKey)}
      className="flex cursor-pointer items-baseline gap-3 rounded-md px-2.5 py-2 max-md:flex-col max-md:gap-0 aria-selected:bg-accent-tint forced-colors:aria-selected:outline-2"
    >
      <span className="min-w-0 font-[550] wrap-anywhere">{escapeInvisible(entry.name)}</span>
      {entry.detail ? (
        <span className="min-w-0 truncate text-sm text-ink-3 max-md:max-w-full">
          {escapeInvisible(entry.detail)}
        </span>
      ) : null}
    </div>
  )
}

function groupsOf(entries: readonly Entry[]) {
  const groups: { group: string; first: number; members: Entry[] }[] = []
  for (const [index, entry] of entries.entries()) {
    const last = groups.at(-1)
    if (last?.group === entry.group) last.members.push(entry)
    else groups.push({ group: entry.group, first: index, members: [entry] })
  }
  return groups
}

const PAUSE_MS = 120
const NOTHING = { assets: [], invoices: [], billingProfiles: [] }

/** Returns the results for the typed text, best first, their status text, and whether more may come. */
function usePaletteResults(typed: string, destinations: readonly Entry[]) {
  const query = parseQuery(typed)
  const debouncedQuery = parseQuery(useDebounced(typed))
  const whole = useMatches(debouncedQuery.text)
  const parts = useMatches(debouncedQuery.act?.search ?? '')
  const entries = [
    ...(parts.isPlaceholderData ? [] : actsOf(debouncedQuery, parts.data ?? NOTHING)),
    ...matchDestinations(query, destinations),
    ...(query.text === '' ? [] : thingsOf(whole.data ?? NOTHING)),
  ]
  const isWaiting = query.text !== debouncedQuery.text || whole.isFetching || parts.isFetching
  const error = whole.error ?? parts.error
  const status =
    error?.message ??
    (entries.length > 0
      ? '↑ ↓ to choose, Enter to open, Escape to close'
      : isWaiting
        ? 'Looking …'
        : `No results for “${query.text}”.`)
  return { entries, status, isWaiting }
}

function useMatches(search: string) {
  const query = { search }
  return useQuery({
    queryKey: listMatches.key({ query }),
    queryFn: ({ signal }) => listMatches({ query }, signal),
    enabled: search !== '',
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })
}

/** Returns the text after it was unchanged for `PAUSE_MS`. */
function useDebounced(text: string): string {
  const [debounced, setDebounced] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return debounced
}
