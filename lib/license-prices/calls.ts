import { callsOf } from '#lib/api/call.ts'

export const calls = callsOf({
  readPriceVisibility: 'GET /billing/v1/price-visibility',
  setPriceVisibility: 'PUT /billing/v1/price-visibility',
})
