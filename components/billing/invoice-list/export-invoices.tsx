'use client'

import type { LateAnswer } from '#components/billing/invoice-summary/late-summary.tsx'
import { ExportMenu } from '#components/ui/export-menu.tsx'
import { later } from '#components/ui/later.tsx'
import { exportInvoices, exportInvoicesXlsx } from '#lib/billing/client.ts'
import type { View } from '../invoices/view.ts'

const ExportMore = later(
  () => import('./export-more.tsx').then(({ ExportMore }) => ExportMore),
  () => <div className="h-24" />,
)

/** All that the view selects, on whatever page it is, as files: a row for each invoice or line item, or their PDFs. */
export function ExportInvoices(given: { view: View; today: number; figures: LateAnswer }) {
  const { pageToken: _, maxResults: __, ...query } = given.view
  const lines = { ...query, lines: 'true' } as const
  return (
    <ExportMenu
      files={{
        'Invoices, Excel (XLSX)': exportInvoicesXlsx.path({ query }),
        'Their lines, Excel (XLSX)': exportInvoicesXlsx.path({ query: lines }),
        'Invoices, CSV': exportInvoices.path({ query }),
        'Their lines, CSV': exportInvoices.path({ query: lines }),
      }}
      ahead={ExportMore.ahead}
      more={(close) => <ExportMore {...given} onClick={close} />}
    />
  )
}
