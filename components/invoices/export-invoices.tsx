import { ExportMenu } from '#components/ui/export-menu.tsx'
import { exportInvoices, exportInvoicesXlsx } from '#lib/invoices/queries.ts'
import type { View } from './view.ts'

/** All that the view selects, on whatever page it is: a row for each invoice or for each line item. */
export function ExportInvoices({ view }: { view: View }) {
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
    />
  )
}
