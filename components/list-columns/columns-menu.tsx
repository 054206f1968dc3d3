'use client'

import { ArrowDown, ArrowUp, Columns3 } from 'lucide-react'
import { type MouseEvent, useEffect, useRef } from 'react'
import { FILTER_BUTTON, FILTER_MENU } from '#components/ui/filter-button.ts'
import { MENU_ITEM, Menu } from '#components/ui/menu.tsx'
import {
  type ColumnOf,
  isSame,
  LIST_COLUMNS,
  type ListName,
  moved,
  toggled,
  usualColumns,
} from '#lib/list-columns/rules.ts'
import { COLUMN_NAMES } from './names.ts'
import type { Choose } from './use-columns.ts'

const STEP =
  'grid size-8 shrink-0 place-items-center rounded-md text-ink-3 hover:bg-sunken hover:text-ink aria-disabled:opacity-40 max-md:size-10'

/** Which columns a list has, and in which order. The first one names the rows: it is always there. */
export function ColumnsMenu<List extends ListName>({
  list,
  columns,
  without = [],
  onChoose,
}: {
  list: List
  columns: readonly ColumnOf<List>[]
  /** What this list has nothing to show in. */
  without?: readonly ColumnOf<List>[]
  onChoose: Choose<ColumnOf<List>>
}) {
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
    onChoose((now) => {
      const next = moved(seen(now), column, by)
      say(`${nameOf(column)}: ${next.indexOf(column) + 1} of ${next.length}`)
      // Those that have nothing to show here keep their choice, at the end.
      return [...next, ...now.filter((one) => without.includes(one))]
    })
  }
  return (
    <div className={`print:hidden ${FILTER_MENU}`}>
      <Menu
        rootClassName=""
        className="w-74"
        buttonClassName={FILTER_BUTTON}
        button={
          <>
            <Columns3 aria-hidden="true" className="size-3.5 text-ink-3" />
            Columns
          </>
        }
      >
        {() => (
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
                      onChange={() => onChoose((now) => toggled(list, now, column))}
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
              onClick={() => onChoose(() => null)}
              className={`${MENU_ITEM} aria-disabled:text-ink-3`}
            >
              Usual columns
            </button>
          </fieldset>
        )}
      </Menu>
    </div>
  )
}
