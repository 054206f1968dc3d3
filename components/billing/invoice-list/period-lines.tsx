import { presets } from '#components/lists/filters/date-range.ts'
import { Download } from '#components/ui/export-menu.tsx'
import { exportInvoicesXlsx } from '#lib/billing/invoices/queries.ts'
import { rangeOf, type View, withRange } from '../invoices/view.ts'

const PERIODS = ['Last month', 'Last quarter']

/** What is wanted most at a month's end, without a filter before it; absent where the view has dates of its own. */
export function PeriodLines({ view, today, onClick }: { view: View; today: number; onClick: () => void }) {
  const { from, to } = rangeOf(view)
  if (from !== undefined || to !== undefined) return null
  const periods = presets(today).filter(({ name }) => PERIODS.includes(name))
  return (
    <div className="mt-1.5 border-t border-line pt-1.5">
      {periods.map(({ name, range }) => {
        const { pageToken: _, maxResults: __, ...query } = withRange(view, range)
        return (
          <Download
            key={name}
            href={exportInvoicesXlsx.path({ query: { ...query, lines: 'true' } })}
            onClick={onClick}
          >
            {`${name}’s lines, Excel (XLSX)`}
          </Download>
        )
      })}
    </div>
  )
}
