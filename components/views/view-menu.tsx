'use client'

import { Bookmark, Pencil } from 'lucide-react'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useState } from 'react'
import { pathWith } from '#components/filters/list-screen.ts'
import { FILTER_BUTTON, FILTER_MENU } from '#components/ui/filter-button.ts'
import { MENU_ITEM, Menu } from '#components/ui/menu.tsx'
import { visible } from '#components/ui/visible.ts'
import type { View } from '#lib/views/contract.ts'
import { isSameQuery, type ViewPath } from '#lib/views/rules.ts'
import { SaveView } from './save-view.tsx'
import { shownNow } from './shown-now.ts'
import { useViews } from './use-views.ts'
import { ViewDialog } from './view-dialog.tsx'

/** Next to a list's filters: the views that are saved of it, and the way to save what it shows now. */
export function ViewMenu({ path }: { path: ViewPath }) {
  const all = useViews()
  const query = shownNow(useSearchParams())
  const [dialog, setDialog] = useState<'save' | View>()
  const views = all.views.filter((view) => view.path === path)
  const current = views.find((view) => isSameQuery(view.query, query))
  const close = () => setDialog(undefined)
  return (
    <div className={`print:hidden ${FILTER_MENU}`}>
      <Menu
        label={current ? `Views: ${visible(current.name)}` : 'Views'}
        rootClassName=""
        className="w-74"
        buttonClassName={FILTER_BUTTON}
        button={
          <>
            <Bookmark aria-hidden="true" className="size-3.5 text-ink-3" />
            <span className="max-w-40 truncate">{current ? visible(current.name) : 'Views'}</span>
          </>
        }
      >
        {(closeMenu) => (
          <>
            {views.length > 0 ? (
              <ul className="max-h-80 overflow-y-auto">
                {views.map((view) => (
                  <li key={view.id} className="flex items-center">
                    <Link
                      href={pathWith(view.path, view.query)}
                      prefetch={false}
                      aria-current={view === current ? 'true' : undefined}
                      onClick={closeMenu}
                      className={`min-w-0 ${MENU_ITEM}`}
                    >
                      <span className="min-w-0 truncate">{visible(view.name)}</span>
                      {view.isShared ? <span className="ml-auto text-xs text-ink-3">Shared</span> : null}
                    </Link>
                    {view.mayChange ? (
                      <button
                        type="button"
                        aria-label={`Change view ${visible(view.name)}`}
                        onClick={() => {
                          closeMenu()
                          setDialog(view)
                        }}
                        className="grid size-8 shrink-0 place-items-center rounded-md text-ink-3 hover:bg-sunken hover:text-ink max-md:size-10"
                      >
                        <Pencil aria-hidden="true" className="size-3.5" />
                      </button>
                    ) : null}
                  </li>
                ))}
              </ul>
            ) : (
              <p className="px-2.5 py-1.75 text-sm text-ink-3">No view of this list is saved yet.</p>
            )}
            <hr className="my-1.5 border-line" />
            <button
              type="button"
              onClick={() => {
                closeMenu()
                setDialog('save')
              }}
              className={MENU_ITEM}
            >
              Save view…
            </button>
          </>
        )}
      </Menu>
      {dialog === 'save' ? (
        <SaveView path={path} query={query} mayShare={all.mayShare} onClose={close} />
      ) : dialog ? (
        <ViewDialog view={views.find(({ id }) => id === dialog.id) ?? dialog} all={all} onClose={close} />
      ) : null}
    </div>
  )
}
