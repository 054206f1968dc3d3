'use client'

import { useRouter } from 'next/navigation'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { isForPage } from '#components/ui/keys.ts'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'

const CommandPalette = lazyWithPreload(() =>
  import('./screen-command-palette.tsx').then(({ ScreenCommandPalette }) => ScreenCommandPalette),
)
const KeyList = lazyWithPreload(() => import('./key-list.tsx').then(({ KeyList }) => KeyList))

/**
 * Global shortcuts: Ctrl K or Cmd K opens the command palette, `g` and a letter opens a screen, `j` and `k` move
 * through the rows of a list, `?` lists the shortcuts. The caller has to render `dialog`.
 */
export function useCommandPalette(screens: readonly { href: string; name: string }[]): {
  open: () => void
  dialog: ReactNode
} {
  const router = useRouter()
  const [openDialog, setOpenDialog] = useState<'finder' | 'keys'>()
  const early = useRef<EarlyKeys>(undefined)
  const openPalette = useCallback(() => {
    early.current = { text: '', isEntered: false }
    setOpenDialog('finder')
  }, [])
  const close = useCallback(() => {
    early.current = undefined
    setOpenDialog(undefined)
  }, [])
  useEffect(() => {
    const read = shortcutParser()
    const acts = {
      more: () => {},
      'next-row': () => moveRowFocus(1),
      'row-before': () => moveRowFocus(-1),
      keys: () => setOpenDialog('keys'),
      find: () => {
        if (!isDialogOpen()) openPalette()
      },
    }
    const runAction = (action: ShortcutAction) => {
      if (typeof action === 'string') acts[action]()
      else if (isScreenPath(action.to, screens)) router.push(action.to)
    }
    const onKey = (event: KeyboardEvent) => {
      if (early.current && !isDialogOpen()) return addEarlyKey(event, early.current, close)
      const action = read(event)
      if (!action) return
      event.preventDefault()
      runAction(action)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [router, screens, openPalette, close])
  return {
    open: openPalette,
    dialog: (
      <>
        {openDialog === 'finder' ? (
          <CommandPalette screens={screens} earlyKeys={() => early.current} onClose={close} />
        ) : null}
        {openDialog === 'keys' ? <KeyList onClose={close} /> : null}
      </>
    ),
  }
}

/** Keys that were pressed after the palette was opened, and before its input was there. */
export type EarlyKeys = { text: string; isEntered: boolean }

/** Adds a key to those that the palette's input gets once its script has loaded; Escape closes the palette. */
function addEarlyKey(event: KeyboardEvent, typed: EarlyKeys, close: () => void): void {
  const { key, ctrlKey, metaKey, altKey } = event
  const isShortcut = ctrlKey || metaKey || altKey
  if (isShortcut && !isOpening(event)) return
  if (isShortcut || key === 'Escape') close()
  else if (key === 'Enter') typed.isEntered = true
  else if (key === 'Backspace') typed.text = typed.text.slice(0, -1)
  else if (key.length === 1) typed.text += key
  else return
  event.preventDefault()
}

function isScreenPath(path: string, screens: readonly { href: string }[]): boolean {
  return path === '/' || screens.some(({ href }) => href === path)
}

function isDialogOpen(): boolean {
  return document.querySelector('dialog[open]') !== null
}

/** Action of a key press; `more`: first half of a two-key shortcut. */
type ShortcutAction = 'find' | 'keys' | 'next-row' | 'row-before' | 'more' | { to: string }

/** Longest time between `g` and the second key, in milliseconds. */
const TOGETHER_MS = 1200
const AFTER_G: Record<string, ShortcutAction> = {
  h: { to: '/' },
  a: { to: '/assets' },
  i: { to: '/invoices' },
}
const ALONE: Record<string, ShortcutAction> = { g: 'more', '?': 'keys', j: 'next-row', k: 'row-before' }

/** Returns a stateful parser of key presses. */
function shortcutParser(): (event: KeyboardEvent) => ShortcutAction | undefined {
  let pressedG = Number.NEGATIVE_INFINITY
  return (event) => {
    if (isOpening(event)) return 'find'
    if (!isForPage(event)) return undefined
    const isAfterG = event.timeStamp - pressedG < TOGETHER_MS
    pressedG = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    return (isAfterG ? AFTER_G[event.key] : undefined) ?? ALONE[event.key]
  }
}

/** Returns whether the keys are Ctrl K or Cmd K, which also work while typing. */
function isOpening({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey
}

/**
 * Moves the focus to the first link of the next or the previous row of the page's lists; Enter then opens it.
 * @param by 1: next row, -1: previous row
 */
function moveRowFocus(by: 1 | -1): void {
  const links = [...document.querySelectorAll('main tbody tr')].flatMap(
    (row) => row.querySelector<HTMLAnchorElement>('a[href]') ?? [],
  )
  const row = document.activeElement?.closest('tr')
  const at = row ? links.findIndex((link) => row.contains(link)) : -1
  const next = at < 0 ? links.at(by > 0 ? 0 : -1) : links[at + by]
  next?.focus()
}
