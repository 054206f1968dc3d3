import {
  type PendingSummary,
  StreamedSummary,
} from '#components/billing/invoice-summary/streamed-summary.tsx'
import { presets } from '#components/lists/filters/date-range.ts'
import { countText } from '#components/ui/count-text.ts'
import { Download } from '#components/ui/export-menu.tsx'
import { exportInvoiceFiles, exportInvoicesXlsx } from '#lib/billing/client.ts'
import { MAX_FILES } from '#lib/billing/invoices/rules.ts'
import { rangeOf, type View, withRange } from '../invoices/view.ts'

/** Further exports below the tables: the PDFs of the view's invoices, and the lines of the most requested periods. */
export function ExportMore({
  view,
  today,
  pendingSummary,
  onClick,
}: {
  view: View
  today: number
  pendingSummary: PendingSummary
  onClick: () => void
}) {
  const { pageToken: _, maxResults: __, ...query } = view
  return (
    <>
      <StreamedSummary answer={pendingSummary} view={view}>
        {({ summary }) => (
          <Archive href={exportInvoiceFiles.path({ query })} count={summary?.count ?? 0} onClick={onClick} />
        )}
      </StreamedSummary>
      <PeriodLines view={view} today={today} onClick={onClick} />
    </>
  )
}

/** Link to all PDFs (ZIP), if there are not too many. */
function Archive({ href, count, onClick }: { href: string; count: number; onClick: () => void }) {
  if (count === 0) return null
  if (count <= MAX_FILES)
    return (
      <Download href={href} onClick={onClick}>
        {count === 1 ? 'The PDF' : `All ${countText(count)} PDFs (ZIP)`}
      </Download>
    )
  return (
    <p className="border-t border-line px-2.5 py-2 text-xs text-ink-2">
      {`${countText(count)} PDFs are too many for one ZIP, which holds up to ${MAX_FILES}. Choose a shorter period, or select invoices.`}
    </p>
  )
}

const PERIODS = ['Last month', 'Last quarter']

/** Exports for the end of a month, without setting a filter first; absent where the view has dates of its own. */
function PeriodLines({ view, today, onClick }: { view: View; today: number; onClick: () => void }) {
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
            href={exportInvoicesXlsx.path({ query: { ...query, lines: 'true', columns: 'words' } })}
            onClick={onClick}
          >
            {`${name}’s lines, Excel (XLSX)`}
          </Download>
        )
      })}
    </div>
  )
}
