import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  readStatement: 'GET /billing/v1/statement',
  exportStatement: 'GET /billing/v1/statement.csv',
  exportStatementXlsx: 'GET /billing/v1/statement.xlsx',
})
