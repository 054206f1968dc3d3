import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  explainMonth: 'GET /billing/v1/invoice-explanation',
  exportExplanation: 'GET /billing/v1/invoice-explanation.csv',
  exportExplanationXlsx: 'GET /billing/v1/invoice-explanation.xlsx',
})
