import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  listInvoices: 'GET /billing/v1/invoices',
  exportInvoices: 'GET /billing/v1/invoices.csv',
  exportInvoicesXlsx: 'GET /billing/v1/invoices.xlsx',
  readInvoice: 'GET /billing/v1/invoices/{invoice_id}',
  summarizeInvoices: 'GET /billing/v1/invoice-summary',
})
