'use client'

import { ChevronsUpDown, Menu as MenuIcon, Search } from 'lucide-react'
import Link from 'next/link'
import { useEffect, useState } from 'react'
import { useCommandPalette } from '#components/shell/command-palette/use-command-palette.tsx'
import { usePrefetchOnIntent } from '#components/shell/navigation/prefetch-on-intent.ts'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'
import { Menu } from '#components/ui/menu.tsx'
import { IDLE_SECONDS } from '#lib/platform/caller/rules.ts'
import type { Views } from '#lib/workspace/views/contract.ts'
import { Brand } from './brand.tsx'
import { ICONS, NavLinks, type Screen, useActivePath } from './nav-links.tsx'
import { type Person, PersonLines } from './person.tsx'

/** Controls of the frame: a side bar on wide screens, else a top bar with a menu. */
export function Frame({
  screens,
  person,
  version,
  needs,
  views,
}: {
  screens: readonly Screen[]
  person: Person
  /** Version of the service. */
  version: string
  /** Number of lines that need the caller. The frame does not wait for it. */
  needs: Promise<number | undefined>
  /** Saved views of the caller. */
  views: Views
}) {
  const { items, preload, dialog } = useProfile(person)
  const palette = useCommandPalette(screens)
  useSessionEnd()
  usePrefetchOnIntent()
  // After the session has ended, Next navigates to the sign-in page without a reload and keeps the screens in memory:
  // Back would show them.
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
          aria-label="Search"
          onClick={palette.open}
          className="grid size-10 place-items-center rounded-control text-ink-2 hover:bg-sunken bar:hidden"
        >
          <Search aria-hidden="true" className="size-5" />
        </button>
        <Menu
          label="Menu"
          side="under-right"
          preload={preload}
          className="w-70"
          buttonClassName="grid size-10 place-items-center rounded-control text-ink-2 hover:bg-sunken"
          button={<MenuIcon aria-hidden="true" className="size-5" />}
        >
          {(close) => (
            <>
              <NavLinks screens={screens} needs={needs} views={views} onNavigate={close} />
              <hr className="my-1.5 border-line" />
              <div className="px-2.5 py-1">
                <PersonLines person={person} />
              </div>
              {items(close)}
              <p className="px-2.5 py-1 text-xs text-ink-3">Version {version}</p>
            </>
          )}
        </Menu>
      </div>
      <BottomBar screens={screens} onFind={palette.open} />
      <div className="flex h-full flex-col px-3 pt-4 pb-3 max-lg:hidden">
        <Link href="/" prefetch={false} className="mb-4.5 rounded-sm px-2 py-1">
          <Brand />
        </Link>
        <button
          type="button"
          aria-keyshortcuts="Control+K Meta+K"
          onClick={palette.open}
          className="mb-3 flex items-center gap-2.5 rounded-control border border-line-2 bg-surface px-2 py-1.5 text-sm text-ink-3 hover:text-ink"
        >
          <Search aria-hidden="true" className="size-4" />
          Search
          <span aria-hidden="true" className="ml-auto text-xs">
            Ctrl K
          </span>
        </button>
        <NavLinks screens={screens} needs={needs} views={views} />
        <div className="mt-auto border-t border-line pt-2">
          <Menu
            side="over-left"
            preload={preload}
            className="w-[anchor-size(width)]"
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
          <p className="px-2 pt-1 text-xs text-ink-3">Version {version}</p>
        </div>
      </div>
      {dialog}
      {palette.dialog}
    </header>
  )
}

function initials(name: string): string {
  const names = name.split(/\s+/).filter(Boolean)
  return [names[0], names.length > 1 ? names.at(-1) : '']
    .map((part) => part?.[0] ?? '')
    .join('')
    .toUpperCase()
}

/** Screens of the bottom bar, whose names fit on the narrowest phone. */
const ENTRIES: readonly string[] = ['/', '/assets', '/invoices'] satisfies Screen['href'][]

const ENTRY =
  'grid h-14 flex-1 place-content-center justify-items-center gap-0.5 rounded-md text-xs text-ink-2 focus-visible:-outline-offset-2 aria-[current]:font-semibold aria-[current]:text-accent'

/** Bottom bar within the thumb's reach: the main screens, and Search. On a low screen the top bar has all of it. */
function BottomBar({ screens, onFind }: { screens: readonly Screen[]; onFind: () => void }) {
  const { path, activeHref } = useActivePath(screens)
  return (
    <nav
      aria-label="Shortcuts"
      data-bar=""
      className="fixed inset-x-0 bottom-0 z-20 hidden border-t border-line bg-surface p-0.5 pb-[calc(0.125rem+env(safe-area-inset-bottom))] bar:flex"
    >
      {screens
        .filter(({ href }) => ENTRIES.includes(href))
        .map(({ href, name }) => {
          const Icon = ICONS[href]
          return (
            <Link
              key={href}
              href={href}
              prefetch={false}
              aria-current={path === href ? 'page' : href === activeHref ? 'true' : undefined}
              className={ENTRY}
            >
              <Icon aria-hidden="true" className="size-5" strokeWidth={1.75} />
              {name}
            </Link>
          )
        })}
      <button type="button" onClick={onFind} className={ENTRY}>
        <Search aria-hidden="true" className="size-5" strokeWidth={1.75} />
        Search
      </button>
    </nav>
  )
}

/** Milliseconds after which an unused session has expired, with a margin. */
const SESSION_EXPIRY_MS = (IDLE_SECONDS + 5) * 1000
const ACTIVITY_EVENTS = ['pointerdown', 'keydown', 'wheel'] as const

/**
 * Navigates to the sign-in page when the session has expired (idle timeout), so that other people at the screen can't
 * read its content. Only a page without input for that long asks the server: if another tab was used in the meantime,
 * the session is still alive, and this page stays.
 */
function useSessionEnd(): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const wait = () => {
      clearTimeout(timer)
      timer = setTimeout(checkSession, SESSION_EXPIRY_MS)
    }
    const checkSession = async () => {
      const { status } = await fetch('/auth/v1/validate').catch(() => ({ status: 0 }))
      // Without an answer, assume that the session has expired.
      const isOver = status === 401 || status === 0
      if (isOver) location.assign(`/sign-in?from=${encodeURIComponent(location.pathname + location.search)}`)
      else wait()
    }
    wait()
    for (const use of ACTIVITY_EVENTS) addEventListener(use, wait, { passive: true })
    return () => {
      clearTimeout(timer)
      for (const use of ACTIVITY_EVENTS) removeEventListener(use, wait)
    }
  }, [])
}

const AccountItems = lazyWithPreload(
  () => import('./account-items.tsx').then(({ AccountItems }) => AccountItems),
  () => <div className="h-72" />,
)
const ChangePassword = lazyWithPreload(() =>
  import('#components/identity/access/change-password.tsx').then(({ ChangePassword }) => ChangePassword),
)

/** Returns the entries of the account menu; `dialog` has to be rendered where it outlives the menu. */
function useProfile(person: Person) {
  const [changing, setChanging] = useState(false)
  const items = (close: () => void) => (
    <AccountItems
      person={person}
      onNavigate={close}
      onChangePassword={() => {
        close()
        setChanging(true)
      }}
    />
  )
  const dialog = changing ? <ChangePassword email={person.email} onClose={() => setChanging(false)} /> : null
  return { items, preload: AccountItems.preload, dialog }
}
