import { routesOf } from '#lib/platform/api/call.ts'

export const viewRoutes = routesOf({
  listViews: 'GET /billing/v1/views',
  createView: 'POST /billing/v1/views',
  changeView: 'PATCH /billing/v1/views/{view_id}',
  removeView: 'DELETE /billing/v1/views/{view_id}',
})

export const columnRoutes = routesOf({
  readListColumns: 'GET /billing/v1/list-columns',
  setListColumns: 'PUT /billing/v1/list-columns',
})

export const matchRoutes = routesOf({
  listMatches: 'GET /billing/v1/matches',
})
