import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  listCharges: 'GET /billing/v1/invoices/{invoice_id}/charges',
  exportCharges: 'GET /billing/v1/invoices/{invoice_id}/charges.csv',
  exportChargesXlsx: 'GET /billing/v1/invoices/{invoice_id}/charges.xlsx',
})
