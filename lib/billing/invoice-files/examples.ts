import { type Example, refused } from '#lib/platform/api/openapi/example.ts'

export const readInvoiceFile: readonly Example[] = [
  {
    name: 'one-file',
    summary: 'An invoice as a file',
    params: { invoice_id: 'IN-2025-0917' },
    answer: { status: 200 },
  },
  {
    name: 'nothing-there',
    summary: 'No invoice has this number',
    params: { invoice_id: 'IN-2025-0' },
    answer: refused('not_found'),
  },
]

export const exportInvoiceFiles: readonly Example[] = [
  {
    name: 'two-named',
    summary: 'The files of two invoices',
    query: { ids: 'IN-2025-0917|IN-2025-1017' },
    answer: { status: 200 },
  },
  {
    name: 'one-missing',
    summary: 'One of them is not there',
    query: { ids: 'IN-2025-0917|IN-2025-0' },
    answer: refused('not_found'),
  },
]
