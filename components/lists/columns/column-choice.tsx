import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type MouseEvent, useEffect, useRef } from 'react'
import { whyNot } from '#components/platform/problem/why-not.ts'
import { MENU_ITEM } from '#components/ui/menu.tsx'
import { useToast } from '#components/ui/toast.tsx'
import { setListColumns } from '#lib/workspace/client.ts'
import {
  type AssetColumn,
  type ColumnOf,
  columnsOf,
  type InvoiceColumn,
  isSame,
  LIST_COLUMNS,
  type ListName,
  moved,
  toggled,
  usualColumns,
} from '#lib/workspace/list-columns/rules.ts'
import { columnsKey } from './use-columns.ts'

const STEP =
  'grid size-8 shrink-0 place-items-center rounded-md text-ink-3 hover:bg-sunken hover:text-ink aria-disabled:opacity-40 max-md:size-10'

/** Edits the columns of a list and their order. The first column names the rows and is always visible. */
export function ColumnChoice<List extends ListName>({
  list,
  columns,
  without,
  onShow,
}: {
  list: List
  columns: readonly ColumnOf<List>[]
  /** Columns without values in this list. */
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
  const visibleColumns = columns.filter((column) => !without.includes(column))
  const hidden = all.filter((column) => !columns.includes(column) && !without.includes(column))
  const announce = (text: string) => {
    if (status.current) status.current.textContent = text
  }
  const seen = (now: readonly ColumnOf<List>[]) => now.filter((one) => !without.includes(one))
  const move = (event: MouseEvent<HTMLElement>, column: ColumnOf<List>, by: -1 | 1) => {
    if (isSame(moved(visibleColumns, column, by), visibleColumns)) return
    pressed.current = event.currentTarget
    choose((now) => {
      const next = moved(seen(now), column, by)
      announce(`${nameOf(column)}: ${next.indexOf(column) + 1} of ${next.length}`)
      // Columns without values in this list keep their choice, at the end.
      return [...next, ...now.filter((one) => without.includes(one))]
    })
  }
  return (
    <fieldset>
      <legend className="sr-only">Columns</legend>
      <p ref={status} role="status" className="sr-only" />
      {[...visibleColumns, ...hidden].map((column) => {
        const index = visibleColumns.indexOf(column)
        return (
          <div key={column} className="flex items-center">
            <label className="flex flex-1 cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.75 text-sm hover:bg-sunken max-md:py-2.5">
              <input
                type="checkbox"
                checked={index >= 0}
                disabled={index === 0}
                onChange={() => choose((now) => toggled(list, now, column))}
                className="size-4 shrink-0 accent-accent"
              />
              {nameOf(column)}
            </label>
            {index > 0 ? (
              <>
                <button
                  type="button"
                  aria-label={`Move ${nameOf(column)} up`}
                  aria-disabled={index === 1 ? true : undefined}
                  onClick={(event) => move(event, column, -1)}
                  className={STEP}
                >
                  <ArrowUp aria-hidden="true" className="size-3.5" />
                </button>
                <button
                  type="button"
                  aria-label={`Move ${nameOf(column)} down`}
                  aria-disabled={index === visibleColumns.length - 1 ? true : undefined}
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

/** Display names of the columns. */
const COLUMN_NAMES: { assets: Record<AssetColumn, string>; invoices: Record<InvoiceColumn, string> } = {
  assets: {
    name: 'Asset',
    type: 'Type',
    plan: 'Plan',
    renewal: 'Renewal',
    usage: 'Usage',
    created: 'Created',
    licenses: 'Licenses',
  },
  invoices: {
    number: 'Invoice',
    date: 'Date',
    billedTo: 'Billed to',
    issuer: 'Issuer',
    platform: 'Platform',
    due: 'Due',
    status: 'Status',
    total: 'Total',
    balance: 'Balance',
  },
}

/**
 * Returns a function that changes a list's columns with an optimistic update, rolled back where they could not be
 * saved. Its argument maps the columns at that moment to the new ones; null restores the defaults.
 */
function useChoose<List extends ListName>(
  list: List,
  columns: readonly ColumnOf<List>[],
  show: (columns: readonly ColumnOf<List>[]) => void,
) {
  type Column = ColumnOf<List>
  const client = useQueryClient()
  const toast = useToast()
  const key = columnsKey(list)
  const { mutate } = useMutation({
    mutationKey: key,
    // Serialized, so that the last choice is saved last.
    scope: { id: `columns of ${list}` },
    mutationFn: ({ selected }: { selected: readonly Column[] | null; before: readonly Column[] }) =>
      setListColumns({ body: { list, columns: selected && [...selected] } }),
    onError: (error, { before }) => {
      // A later choice still waits for its own answer, which decides.
      if (client.isMutating({ mutationKey: key }) <= 1) show(before)
      toast(`Columns not changed: ${whyNot(error)}`)
    },
    onSuccess: ({ columns: stored }) => {
      if (client.isMutating({ mutationKey: key }) <= 1) show(columnsOf(list, stored))
    },
  })
  // Read from the cache, not from props: two presses may come before the next render.
  return (change: (now: readonly Column[]) => readonly Column[] | null) => {
    const before = client.getQueryData<readonly Column[]>(key) ?? columns
    const selected = change(before)
    show(selected ?? usualColumns(list))
    mutate({ selected, before })
  }
}
