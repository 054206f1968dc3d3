import { Pencil } from 'lucide-react'
import Link from 'next/link'
import { pathWith } from '#components/lists/filters/list-screen.ts'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { MENU_ITEM } from '#components/ui/menu.tsx'
import type { View } from '#lib/workspace/views/contract.ts'

/** Saved views of a list, each with a link and an edit button, and the button that saves another one. */
export function ViewList({
  views,
  current,
  onNavigate,
  onOpen,
}: {
  views: readonly View[]
  current: View | undefined
  onNavigate: () => void
  /** Opens the dialog of an existing view, or of a new one. */
  onOpen: (dialog: 'save' | View) => void
}) {
  return (
    <>
      {views.length > 0 ? (
        <ul className="max-h-80 overflow-y-auto">
          {views.map((view) => (
            <li key={view.id} className="flex items-center">
              <Link
                href={pathWith(view.path, view.query)}
                prefetch={false}
                aria-current={view === current ? 'true' : undefined}
                onClick={onNavigate}
                className={`min-w-0 ${MENU_ITEM}`}
              >
                <span className="min-w-0 truncate">{escapeInvisible(view.name)}</span>
                {view.isShared ? <span className="ml-auto text-xs text-ink-3">Shared</span> : null}
              </Link>
              {view.mayChange ? (
                <button
                  type="button"
                  aria-label={`Change view ${escapeInvisible(view.name)}`}
                  onClick={() => onOpen(view)}
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
      <button type="button" onClick={() => onOpen('save')} className={MENU_ITEM}>
        Save view…
      </button>
    </>
  )
}
