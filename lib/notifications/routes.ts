import { routesOf } from '#lib/platform/api/call.ts'

export const needRoutes = routesOf({
  listNeeds: 'GET /billing/v1/needs',
  dismissNeed: 'PUT /billing/v1/needs/{need_id}/dismissal',
  restoreNeed: 'DELETE /billing/v1/needs/{need_id}/dismissal',
  readNeedsMail: 'GET /billing/v1/needs-mail',
  setNeedsMail: 'PUT /billing/v1/needs-mail',
})
