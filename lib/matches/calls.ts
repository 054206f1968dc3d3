import { callsOf } from '#lib/api/call.ts'

export const calls = callsOf({
  listMatches: 'GET /billing/v1/matches',
})
