import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  setQuantity: 'PATCH /billing/v1/assets/{asset_id}',
  listLicenseChanges: 'GET /billing/v1/license-changes',
  readLicenseChange: 'GET /billing/v1/license-changes/{change_id}',
  acknowledgeLicenseChange: 'PUT /billing/v1/license-changes/{change_id}/acknowledgement',
  readFromVendor: 'POST /billing/v1/assets/{asset_id}/reading',
})
