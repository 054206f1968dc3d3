import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  listBillingProfiles: 'GET /billing/v1/billing-profiles',
  readBillingProfile: 'GET /billing/v1/billing-profiles/{billing_profile_id}',
  setProfilePosting: 'PATCH /billing/v1/billing-profiles/{billing_profile_id}',
  readAssetPosting: 'GET /billing/v1/assets/{asset_id}/posting-details',
  setAssetPosting: 'PATCH /billing/v1/assets/{asset_id}/posting-details',
})
