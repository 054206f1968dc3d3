'use client'

import { useRouter } from 'next/navigation'
import { type ReactNode, useEffect, useState } from 'react'
import { isForPage } from '#components/ui/keys.ts'
import { later } from '#components/ui/later.tsx'

const Finder = later(() => import('./finder-of-screens.tsx').then(({ FinderOfScreens }) => FinderOfScreens))
const KeyList = later(() => import('./key-list.tsx').then(({ KeyList }) => KeyList))

/**
 * Keys that work on every screen: Ctrl K or Cmd K finds anything, `g` and a letter goes to a screen, `j` and `k` walk the rows of
 * a list, `?` lists them. `dialog` has to be rendered.
 */
export function useFinder(screens: readonly { href: string; name: string }[]): {
  open: () => void
  dialog: ReactNode
} {
  const router = useRouter()
  const [shown, setShown] = useState<'finder' | 'keys'>()
  useEffect(() => {
    const read = keyReader()
    const acts = {
      more: () => {},
      'next-row': () => walkRows(1),
      'row-before': () => walkRows(-1),
      keys: () => setShown('keys'),
      find: () => setShown((before) => before ?? (isDialogOpen() ? undefined : 'finder')),
    }
    const grant = (wish: Wish) => {
      if (typeof wish === 'string') acts[wish]()
      else if (isOwn(wish.to, screens)) router.push(wish.to)
    }
    const onKey = (event: KeyboardEvent) => {
      const wish = read(event)
      if (!wish) return
      event.preventDefault()
      grant(wish)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [router, screens])
  const close = () => setShown(undefined)
  return {
    open: () => setShown('finder'),
    dialog: (
      <>
        {shown === 'finder' ? <Finder screens={screens} onClose={close} /> : null}
        {shown === 'keys' ? <KeyList onClose={close} /> : null}
      </>
    ),
  }
}

function isOwn(path: string, screens: readonly { href: string }[]): boolean {
  return path === '/' || screens.some(({ href }) => href === path)
}

function isDialogOpen(): boolean {
  return document.querySelector('dialog[open]') !== null
}

/** What a press of a key asks for; `more`: it is the first half of two. */
type Wish = 'find' | 'keys' | 'next-row' | 'row-before' | 'more' | { to: string }

/** A second key counts as one with `g` for so long, in milliseconds. */
const TOGETHER_MS = 1200
const AFTER_G: Record<string, Wish> = { h: { to: '/' }, a: { to: '/assets' }, i: { to: '/invoices' } }
const ALONE: Record<string, Wish> = { g: 'more', '?': 'keys', j: 'next-row', k: 'row-before' }

/** Reads one press after the other. */
function keyReader(): (event: KeyboardEvent) => Wish | undefined {
  let pressedG = Number.NEGATIVE_INFINITY
  return (event) => {
    if (isOpening(event)) return 'find'
    if (!isForPage(event)) return undefined
    const isAfterG = event.timeStamp - pressedG < TOGETHER_MS
    pressedG = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    return (isAfterG ? AFTER_G[event.key] : undefined) ?? ALONE[event.key]
  }
}

/** Ctrl K, or Cmd K: also where something is being typed. */
function isOpening({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey
}

/**
 * Moves the focus to the first link of the next row of the page's lists, or of the one before; Enter then opens it.
 * @param by 1: the next, -1: the one before
 */
function walkRows(by: 1 | -1): void {
  const links = [...document.querySelectorAll('main tbody tr')].flatMap(
    (row) => row.querySelector<HTMLAnchorElement>('a[href]') ?? [],
  )
  const row = document.activeElement?.closest('tr')
  const at = row ? links.findIndex((link) => row.contains(link)) : -1
  const next = at < 0 ? links.at(by > 0 ? 0 : -1) : links[at + by]
  next?.focus()
}
