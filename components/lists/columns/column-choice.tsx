import { ArrowDown, ArrowUp } from 'lucide-react'
import { type MouseEvent, useEffect, useRef } from 'react'
import { MENU_ITEM } from '#components/ui/menu.tsx'
import {
  type ColumnOf,
  isSame,
  LIST_COLUMNS,
  type ListName,
  moved,
  toggled,
  usualColumns,
} from '#lib/workspace/list-columns/rules.ts'
import { COLUMN_NAMES } from './names.ts'
import { useChoose } from './use-choose.ts'

const STEP =
  'grid size-8 shrink-0 place-items-center rounded-md text-ink-3 hover:bg-sunken hover:text-ink aria-disabled:opacity-40 max-md:size-10'

/** The columns of a list with their order, to hide, show and move. The first one names the rows: it is always there. */
export function ColumnChoice<List extends ListName>({
  list,
  columns,
  without,
  onShow,
}: {
  list: List
  columns: readonly ColumnOf<List>[]
  /** What this list has nothing to show in. */
  without: readonly ColumnOf<List>[]
  onShow: (columns: readonly ColumnOf<List>[]) => void
}) {
  const choose = useChoose(list, columns, onShow)
  const status = useRef<HTMLParagraphElement>(null)
  const pressed = useRef<HTMLElement>(null)
  // A row that moves takes its buttons along, and the browser lets go of them: the focus comes back.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is asked after each change of the order
  useEffect(() => {
    pressed.current?.focus()
    pressed.current = null
  }, [columns])
  const all: readonly ColumnOf<List>[] = LIST_COLUMNS[list]
  const names: Record<string, string> = COLUMN_NAMES[list]
  const nameOf = (column: ColumnOf<List>) => names[column] ?? column
  const shown = columns.filter((column) => !without.includes(column))
  const hidden = all.filter((column) => !columns.includes(column) && !without.includes(column))
  const say = (text: string) => {
    if (status.current) status.current.textContent = text
  }
  const seen = (now: readonly ColumnOf<List>[]) => now.filter((one) => !without.includes(one))
  const move = (event: MouseEvent<HTMLElement>, column: ColumnOf<List>, by: -1 | 1) => {
    if (isSame(moved(shown, column, by), shown)) return
    pressed.current = event.currentTarget
    choose((now) => {
      const next = moved(seen(now), column, by)
      say(`${nameOf(column)}: ${next.indexOf(column) + 1} of ${next.length}`)
      // Those that have nothing to show here keep their choice, at the end.
      return [...next, ...now.filter((one) => without.includes(one))]
    })
  }
  return (
    <fieldset>
      <legend className="sr-only">Columns</legend>
      <p ref={status} role="status" className="sr-only" />
      {[...shown, ...hidden].map((column) => {
        const place = shown.indexOf(column)
        return (
          <div key={column} className="flex items-center">
            <label className="flex flex-1 cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.75 text-sm hover:bg-sunken max-md:py-2.5">
              <input
                type="checkbox"
                checked={place >= 0}
                disabled={place === 0}
                onChange={() => choose((now) => toggled(list, now, column))}
                className="size-4 shrink-0 accent-accent"
              />
              {nameOf(column)}
            </label>
            {place > 0 ? (
              <>
                <button
                  type="button"
                  aria-label={`Move ${nameOf(column)} up`}
                  aria-disabled={place === 1 ? true : undefined}
                  onClick={(event) => move(event, column, -1)}
                  className={STEP}
                >
                  <ArrowUp aria-hidden="true" className="size-3.5" />
                </button>
                <button
                  type="button"
                  aria-label={`Move ${nameOf(column)} down`}
                  aria-disabled={place === shown.length - 1 ? true : undefined}
                  onClick={(event) => move(event, column, 1)}
                  className={STEP}
                >
                  <ArrowDown aria-hidden="true" className="size-3.5" />
                </button>
              </>
            ) : null}
          </div>
        )
      })}
      <hr className="my-1.5 border-line" />
      <button
        type="button"
        aria-disabled={isSame(columns, usualColumns(list)) ? true : undefined}
        onClick={() => choose(() => null)}
        className={`${MENU_ITEM} aria-disabled:text-ink-3`}
      >
        Usual columns
      </button>
    </fieldset>
  )
}
