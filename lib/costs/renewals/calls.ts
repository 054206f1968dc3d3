import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  listRenewals: 'GET /billing/v1/renewals',
  exportRenewals: 'GET /billing/v1/renewals.csv',
  exportRenewalsXlsx: 'GET /billing/v1/renewals.xlsx',
})
