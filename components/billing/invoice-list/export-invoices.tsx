'use client'

import type { PendingSummary } from '#components/billing/invoice-summary/streamed-summary.tsx'
import { ExportMenu } from '#components/ui/export-menu.tsx'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'
import { exportInvoices, exportInvoicesXlsx } from '#lib/billing/client.ts'
import type { View } from '../invoices/view.ts'

const ExportMore = lazyWithPreload(
  () => import('./export-more.tsx').then(({ ExportMore }) => ExportMore),
  () => <div className="h-24" />,
)

/** Menu that exports all invoices of the view, across pages: a row for each invoice or line item, or their PDFs. */
export function ExportInvoices(props: { view: View; today: number; pendingSummary: PendingSummary }) {
  const { pageToken: _, maxResults: __, ...query } = props.view
  const lines = { ...query, lines: 'true', columns: 'words' } as const
  return (
    <ExportMenu
      files={{
        'Invoices, Excel (XLSX)': exportInvoicesXlsx.path({ query }),
        'Line items, Excel (XLSX)': exportInvoicesXlsx.path({ query: lines }),
        'Invoices, CSV': exportInvoices.path({ query }),
        'Line items, CSV': exportInvoices.path({ query: lines }),
      }}
      preload={ExportMore.preload}
      more={(close) => <ExportMore {...props} onClick={close} />}
    />
  )
}
