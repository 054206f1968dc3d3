import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  readBilledProducts: 'GET /billing/v1/billed-products',
})
