import { callsOf } from '#lib/platform/api/call.ts'

export const viewRoutes = callsOf({
  listViews: 'GET /billing/v1/views',
  createView: 'POST /billing/v1/views',
  changeView: 'PATCH /billing/v1/views/{view_id}',
  removeView: 'DELETE /billing/v1/views/{view_id}',
})

export const columnRoutes = callsOf({
  readListColumns: 'GET /billing/v1/list-columns',
  setListColumns: 'PUT /billing/v1/list-columns',
})

export const matchRoutes = callsOf({
  listMatches: 'GET /billing/v1/matches',
})
