import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  readPriceVisibility: 'GET /billing/v1/price-visibility',
  setPriceVisibility: 'PUT /billing/v1/price-visibility',
})
