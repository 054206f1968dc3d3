'use client'

import { type LateAnswer, LateSummary } from '#components/invoice-summary/late-summary.tsx'
import { countText } from '#components/ui/count-text.ts'
import { Download, ExportMenu } from '#components/ui/export-menu.tsx'
import { exportInvoiceFiles } from '#lib/invoice-files/queries.ts'
import { exportInvoices, exportInvoicesXlsx } from '#lib/invoices/queries.ts'
import { MOST_FILES } from '#lib/invoices/rules.ts'
import { PeriodLines } from './period-lines.tsx'
import type { View } from './view.ts'

/** All that the view selects, on whatever page it is, as files: a row for each invoice or line item, or their PDFs. */
export function ExportInvoices({ view, today, figures }: { view: View; today: number; figures: LateAnswer }) {
  const { pageToken: _, maxResults: __, ...query } = view
  const lines = { ...query, lines: 'true' } as const
  return (
    <ExportMenu
      files={{
        'Invoices, Excel (XLSX)': exportInvoicesXlsx.path({ query }),
        'Their lines, Excel (XLSX)': exportInvoicesXlsx.path({ query: lines }),
        'Invoices, CSV': exportInvoices.path({ query }),
        'Their lines, CSV': exportInvoices.path({ query: lines }),
      }}
      more={(close) => (
        <>
          <LateSummary answer={figures} view={view}>
            {({ summary }) => (
              <Archive
                href={exportInvoiceFiles.path({ query })}
                count={summary?.count ?? 0}
                onClick={close}
              />
            )}
          </LateSummary>
          <PeriodLines view={view} today={today} onClick={close} />
        </>
      )}
    />
  )
}

/** The files of all of them as one archive, where they are not too many for it. */
function Archive({ href, count, onClick }: { href: string; count: number; onClick: () => void }) {
  if (count === 0) return null
  if (count <= MOST_FILES)
    return (
      <Download href={href} onClick={onClick}>
        {count === 1 ? 'The PDF' : `${countText(count)} PDFs as one archive`}
      </Download>
    )
  return (
    <p className="border-t border-line px-2.5 py-2 text-xs text-ink-2">
      {`PDFs: these are ${countText(count)} invoices, and one archive holds at most ${MOST_FILES}. Choose a shorter time, or select the ones that you need.`}
    </p>
  )
}
