'use client'

import { useRouter } from 'next/navigation'
import { type ReactNode, useEffect, useState } from 'react'
import { later } from '#components/ui/later.tsx'
import { keyReader, type Wish } from './key-reader.ts'
import { walkRows } from './walk-rows.ts'

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
