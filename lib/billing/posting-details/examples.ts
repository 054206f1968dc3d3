import type { Example } from '#lib/platform/api/openapi/example.ts'

const PROFILE = {
  id: 'default',
  name: 'northwind',
  purchaseOrder: 'PO-4500017',
  costCenter: '4711',
}
const profile = { billing_profile_id: 'default' }
const asset = { asset_id: 'workspace-suite-5d20a7' }

export const listBillingProfiles: readonly Example[] = [
  {
    name: 'one-profile',
    summary: 'The only billing profile, with what its next invoices carry',
    answer: { status: 200, body: { billingProfiles: [PROFILE], rowCount: 1 } },
  },
]

export const readBillingProfile: readonly Example[] = [
  {
    name: 'default',
    summary: 'A billing profile',
    params: profile,
    answer: { status: 200, body: PROFILE },
  },
]

export const setProfilePosting: readonly Example[] = [
  {
    name: 'another-order',
    summary: 'Another purchase order; the reference is taken away, the cost center stays',
    params: profile,
    body: { purchaseOrder: 'PO-4500018', buyerReference: null },
    answer: { status: 200, body: { ...PROFILE, purchaseOrder: 'PO-4500018' } },
  },
]

export const readAssetPosting: readonly Example[] = [
  {
    name: 'none',
    summary: 'An asset of which nothing is set',
    params: asset,
    answer: { status: 200, body: {} },
  },
]

export const setAssetPosting: readonly Example[] = [
  {
    name: 'cost-center',
    summary: 'Who pays for it',
    params: asset,
    body: { costCenter: '4712' },
    answer: { status: 200, body: { costCenter: '4712' } },
  },
]
