'use client'

import {
  Activity,
  Building2,
  House,
  Layers,
  LogIn,
  Mail,
  ReceiptText,
  SquareTerminal,
  Users,
  Webhook,
} from 'lucide-react'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { Fragment, Suspense } from 'react'
import { PinnedViews, pinnedBelow, useCurrentView } from '#components/lists/views/pinned-views.tsx'
import { useViews } from '#components/lists/views/use-views.ts'
import { NeedCount } from '#components/notifications/need-count.tsx'
import { pathOf, usePendingNavigation } from '#components/shell/navigation/navigation-provider.tsx'
import type { Views } from '#lib/workspace/views/contract.ts'

export const ICONS = {
  '/': House,
  '/assets': Layers,
  '/invoices': ReceiptText,
  '/invoices/profiles': Building2,
  '/activity': Activity,
  '/notifications': Mail,
  '/members': Users,
  '/sign-on': LogIn,
  '/keys': SquareTerminal,
  '/webhooks': Webhook,
} as const

/** First screens of the group Settings, for members with and without the permission to manage members. */
const SETTINGS: readonly string[] = ['/members', '/keys'] satisfies (keyof typeof ICONS)[]

/** Screen that the caller may open. */
export type Screen = { href: keyof typeof ICONS; name: string }

/** Returns the current path, from a click on the pending one, and the screen that contains it. */
export function useActivePath(screens: readonly Screen[]): { path: string; activeHref: string } {
  const pending = usePendingNavigation()
  const here = usePathname()
  const path = pending ? pathOf(pending.href) : here
  // A screen may be nested below another: the longest matching path is the current one.
  const active = screens
    .filter(({ href }) => path.startsWith(`${href}/`) || path === href)
    .reduce((nearest, { href }) => (href.length > nearest.length ? href : nearest), '')
  return { path, activeHref: active }
}

/** Links to the screens. The current screen is marked; from a click on, the screen being loaded. */
export function NavLinks({
  screens,
  needs,
  views: first,
  onNavigate,
}: {
  screens: readonly Screen[]
  /** Number of lines that need the caller, shown next to their screen. */
  needs: Promise<number | undefined>
  /** Saved views of the caller at the frame's render. */
  views: Views
  onNavigate?: () => void
}) {
  const { path, activeHref } = useActivePath(screens)
  const views = useViews(first)
  const settingsAt = screens.findIndex(({ href }) => SETTINGS.includes(href))
  const view = useCurrentView(views.views.filter(({ isPinned }) => isPinned))
  return (
    <nav aria-label="Main" className="grid gap-0.5 lg:-m-1 lg:min-h-0 lg:overflow-y-auto lg:p-1">
      {screens.map(({ href, name }, index) => {
        const Icon = ICONS[href]
        const pinned = pinnedBelow(views, href, screens)
        const isHere = path === href && !(view && pinned.includes(view))
        const current = isHere ? 'page' : href === activeHref ? 'true' : undefined
        return (
          <Fragment key={href}>
            {index === settingsAt ? <p className="px-2 pt-3 pb-1 text-xs text-ink-3">Settings</p> : null}
            <Link
              href={href}
              prefetch={false}
              aria-current={current}
              {...(onNavigate ? { onClick: onNavigate } : {})}
              className="flex items-center gap-2.5 rounded-md px-2 py-1.75 font-medium text-ink-2 hover:bg-sunken hover:text-ink max-md:py-2.5 aria-[current]:bg-surface aria-[current]:text-ink aria-[current]:ring-1 aria-[current]:ring-line"
            >
              <Icon aria-hidden="true" className="size-4" strokeWidth={1.75} />
              {name}
              {href === '/' ? (
                <Suspense>
                  <NeedCount first={needs} />
                </Suspense>
              ) : null}
            </Link>
            {pinned.length > 0 ? (
              <PinnedViews screen={name} views={pinned} current={view} all={views} onNavigate={onNavigate} />
            ) : null}
          </Fragment>
        )
      })}
    </nav>
  )
}
