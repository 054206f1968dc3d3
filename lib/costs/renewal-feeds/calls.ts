import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  readRenewalFeed: 'GET /billing/v1/renewal-feed',
  makeRenewalFeed: 'POST /billing/v1/renewal-feed',
  revokeRenewalFeed: 'DELETE /billing/v1/renewal-feed',
  readCalendar: 'GET /calendar/{secret}',
})
