import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  listViews: 'GET /billing/v1/views',
  createView: 'POST /billing/v1/views',
  changeView: 'PATCH /billing/v1/views/{view_id}',
  removeView: 'DELETE /billing/v1/views/{view_id}',
})
