import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  compareInvoices: 'GET /billing/v1/invoice-comparison',
  exportComparison: 'GET /billing/v1/invoice-comparison.csv',
  exportComparisonXlsx: 'GET /billing/v1/invoice-comparison.xlsx',
})
