import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  readRenewal: 'GET /billing/v1/assets/{asset_id}/renewal',
  orderRenewal: 'PUT /billing/v1/assets/{asset_id}/renewal',
  withdrawRenewal: 'DELETE /billing/v1/assets/{asset_id}/renewal',
})
