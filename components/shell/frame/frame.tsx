'use client'

import { ChevronsUpDown, Menu as MenuIcon, Search } from 'lucide-react'
import Link from 'next/link'
import { useEffect } from 'react'
import { useFinder } from '#components/shell/command-palette/use-finder.tsx'
import { useAhead } from '#components/shell/navigation/ahead.ts'
import { Menu } from '#components/ui/menu.tsx'
import type { Views } from '#lib/workspace/views/contract.ts'
import { BottomBar } from './bottom-bar.tsx'
import { Brand } from './brand.tsx'
import { NavLinks, type Screen } from './nav-links.tsx'
import { type Person, PersonLines } from './person.tsx'
import { useProfile } from './profile.tsx'
import { useSessionEnd } from './session-end.ts'

/** The frame's own controls: a side bar where there is room, else a bar on top with a menu. */
export function Frame({
  screens,
  person,
  needs,
  views,
}: {
  screens: readonly Screen[]
  person: Person
  /** How many lines need the caller. The frame does not wait for it. */
  needs: Promise<number | undefined>
  /** Their saved views. */
  views: Views
}) {
  const { items, ahead, dialog } = useProfile(person)
  const finder = useFinder(screens)
  useSessionEnd()
  useAhead()
  // Whose session has ended is led to sign in within this page, which remembers their screens: Back would show them.
  useEffect(
    () => () => {
      if (location.pathname === '/sign-in') location.reload()
    },
    [],
  )
  return (
    <header className="border-line max-lg:border-b print:hidden lg:sticky lg:top-0 lg:h-dvh lg:border-r">
      <div className="flex items-center px-3.5 py-2.5 md:px-9 lg:hidden">
        <Link href="/" prefetch={false} className="flex-1 rounded-sm">
          <Brand />
        </Link>
        <button
          type="button"
          aria-label="Find"
          onClick={finder.open}
          className="grid size-10 place-items-center rounded-control text-ink-2 hover:bg-sunken bar:hidden"
        >
          <Search aria-hidden="true" className="size-5" />
        </button>
        <Menu
          label="Menu"
          side="under-right"
          ahead={ahead}
          className="w-70"
          buttonClassName="grid size-10 place-items-center rounded-control text-ink-2 hover:bg-sunken"
          button={<MenuIcon aria-hidden="true" className="size-5" />}
        >
          {(close) => (
            <>
              <NavLinks screens={screens} needs={needs} views={views} onGo={close} />
              <hr className="my-1.5 border-line" />
              <div className="px-2.5 py-1">
                <PersonLines person={person} />
              </div>
              {items(close)}
            </>
          )}
        </Menu>
      </div>
      <BottomBar screens={screens} onFind={finder.open} />
      <div className="flex h-full flex-col px-3 pt-4 pb-3 max-lg:hidden">
        <Link href="/" prefetch={false} className="mb-4.5 rounded-sm px-2 py-1">
          <Brand />
        </Link>
        <button
          type="button"
          aria-keyshortcuts="Control+K Meta+K"
          onClick={finder.open}
          className="mb-3 flex items-center gap-2.5 rounded-control border border-line-2 bg-surface px-2 py-1.5 text-sm text-ink-3 hover:text-ink"
        >
          <Search aria-hidden="true" className="size-4" />
          Find
          <span aria-hidden="true" className="ml-auto text-xs">
            Ctrl K
          </span>
        </button>
        <NavLinks screens={screens} needs={needs} views={views} />
        <div className="mt-auto border-t border-line pt-2">
          <Menu
            side="over-left"
            ahead={ahead}
            className="w-full"
            buttonClassName="flex w-full items-center gap-2.5 rounded-md px-2 py-2 hover:bg-sunken"
            button={
              <>
                <span
                  aria-hidden="true"
                  className="grid size-7 shrink-0 place-items-center rounded-full bg-accent-tint text-xs font-semibold text-accent forced-colors:border"
                >
                  {initials(person.name)}
                </span>
                <span className="flex-1 min-w-0">
                  <PersonLines person={person} />
                </span>
                <ChevronsUpDown aria-hidden="true" className="size-3.5 shrink-0 text-ink-3" />
              </>
            }
          >
            {items}
          </Menu>
        </div>
      </div>
      {dialog}
      {finder.dialog}
    </header>
  )
}

function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean)
  return [words[0], words.length > 1 ? words.at(-1) : '']
    .map((word) => word?.[0] ?? '')
    .join('')
    .toUpperCase()
}
