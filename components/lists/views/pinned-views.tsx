'use client'

import { Ellipsis } from 'lucide-react'
import Link from 'next/link'
import { usePathname, useSearchParams } from 'next/navigation'
import { useState } from 'react'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'
import { LinkSpinner } from '#components/ui/link-spinner.tsx'
import type { View, Views } from '#lib/workspace/views/contract.ts'
import { isSameQuery } from '#lib/workspace/views/rules.ts'

const ViewDialog = lazyWithPreload(() => import('./view-dialog.tsx').then(({ ViewDialog }) => ViewDialog))

/** Returns the pinned views of a screen in the navigation by its path, including those of the screens below. */
export function pinnedBelow({ views }: Views, href: string, screens: readonly { href: string }[]): View[] {
  const isOf = ({ path }: View) =>
    path === href ||
    (path.startsWith(`${href}/`) && href !== '/' && screens.every((one) => one.href !== path))
  return views.filter((view) => view.isPinned && isOf(view))
}

/** Returns the view whose address is the present one, if any. */
export function useCurrentView(views: readonly View[]): View | undefined {
  const [path, search] = [usePathname(), useSearchParams().toString()]
  return views.find((view) => view.path === path && isSameQuery(view.query, search))
}

/** Links to a screen's pinned views, with the current one marked. */
export function PinnedViews({
  screen,
  views,
  current,
  all,
  onNavigate,
}: {
  /** Name of the screen. */
  screen: string
  views: readonly View[]
  current: View | undefined
  all: Views
  onNavigate?: (() => void) | undefined
}) {
  const [changing, setChanging] = useState<string>()
  const changed = all.views.find(({ id }) => id === changing)
  return (
    <>
      <ul aria-label={`Views of ${screen}`} className="grid gap-0.5 border-l border-line ml-4 pl-1.5">
        {views.map((view) => (
          <li key={view.id} className="group flex min-w-0 items-center">
            <Link
              href={pathWith(view.path, view.query)}
              prefetch={false}
              aria-current={view === current ? 'page' : undefined}
              {...(onNavigate ? { onClick: onNavigate } : {})}
              className="flex min-w-0 flex-1 items-center gap-2 rounded-md px-2 py-1.25 text-sm text-ink-2 hover:bg-sunken hover:text-ink max-md:py-2.5 aria-[current]:bg-surface aria-[current]:font-medium aria-[current]:text-ink aria-[current]:ring-1 aria-[current]:ring-line forced-colors:aria-[current]:underline"
            >
              <span className="truncate" title={escapeInvisible(view.name)}>
                {escapeInvisible(view.name)}
              </span>
              <LinkSpinner />
            </Link>
            {view.mayChange ? (
              <button
                type="button"
                aria-label={`Change view ${escapeInvisible(view.name)}`}
                onClick={() => setChanging(view.id)}
                className="grid size-7 shrink-0 place-items-center rounded-md text-ink-3 hover:bg-sunken hover:text-ink max-lg:size-10"
              >
                <Ellipsis aria-hidden="true" className="size-3.5" />
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      {changed ? <ViewDialog view={changed} all={all} onClose={() => setChanging(undefined)} /> : null}
    </>
  )
}
