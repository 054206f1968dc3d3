import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  readInvoiceFile: 'GET /billing/v1/invoices/{invoice_id}/file',
  exportInvoiceFiles: 'GET /billing/v1/invoices.zip',
})
