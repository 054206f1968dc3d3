import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useId } from 'react'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { buttonVariants } from '#components/ui/button-variants.ts'
import { dayOf, monthAndYear, monthBegin } from '#lib/platform/values/days.ts'
import { EXPLAIN, hrefOf, searchOf, type View } from './view.ts'

/** Returns the month as in the address: `2026-10`. */
const textOf = (month: number) => dayOf(month).slice(0, 7)

/**
 * Links to the previous and the next month, and a select of all months with invoices. A plain form, which works before
 * scripts have loaded.
 * @param months first days, the newest first
 */
export function MonthPicker({
  view,
  month,
  months,
}: {
  view: View
  month: number
  months: readonly number[]
}) {
  const id = useId()
  const choices = [...new Set([month, ...months])].toSorted((a, b) => b - a)
  const [newest = month, oldest = month] = [choices[0], choices.at(-1)]
  const filter = new URLSearchParams(searchOf(view)).get('filter')
  const hrefAt = (at: number) => hrefOf({ ...view, month: textOf(at) })
  return (
    <div className="flex flex-wrap items-end gap-2">
      {month > oldest ? (
        <ButtonLink href={hrefAt(monthBegin(month, -1))} prefetch={false}>
          <ChevronLeft aria-hidden="true" className="size-3.5" />
          <span className="sr-only">Month before: </span>
          {monthAndYear(monthBegin(month, -1))}
        </ButtonLink>
      ) : null}
      <form action={EXPLAIN} className="flex items-end gap-2">
        <label htmlFor={id} className="sr-only">
          Month
        </label>
        <select
          key={month}
          id={id}
          name="month"
          defaultValue={textOf(month)}
          className="h-8.5 rounded-control border border-line-2 bg-surface px-2.5 text-sm font-medium text-ink tabular-nums shadow-card max-md:h-10"
        >
          {choices.map((one) => (
            <option key={one} value={textOf(one)}>
              {monthAndYear(one)}
            </option>
          ))}
        </select>
        {filter ? <input type="hidden" name="filter" value={filter} /> : null}
        <button type="submit" className={buttonVariants('plain')}>
          Explain
        </button>
      </form>
      {month < newest ? (
        <ButtonLink href={hrefAt(monthBegin(month, 1))} prefetch={false}>
          <span className="sr-only">Month after: </span>
          {monthAndYear(monthBegin(month, 1))}
          <ChevronRight aria-hidden="true" className="size-3.5" />
        </ButtonLink>
      ) : null}
    </div>
  )
}
