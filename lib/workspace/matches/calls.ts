import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  listMatches: 'GET /billing/v1/matches',
})
