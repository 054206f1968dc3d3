import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  listAuditEvents: 'GET /billing/v1/audit-events',
  exportAuditEvents: 'GET /billing/v1/audit-events.csv',
  exportAuditEventsXlsx: 'GET /billing/v1/audit-events.xlsx',
})
