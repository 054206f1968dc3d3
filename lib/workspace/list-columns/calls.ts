import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  readListColumns: 'GET /billing/v1/list-columns',
  setListColumns: 'PUT /billing/v1/list-columns',
})
