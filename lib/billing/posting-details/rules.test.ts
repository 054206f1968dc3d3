import { describe, expect, test } from 'vitest'
import { assetDetails, changedBy, type PostedAsset } from './rules.ts'

const asset = (id: string, overrides: Partial<PostedAsset> = {}): PostedAsset => ({
  ...{ id, type: 'workspace-suite', name: id, skuName: null, vendorCustomerId: `C-${id}` },
  ...{ purchaseOrder: null, costCenter: null },
  ...overrides,
})
const line = (description: string, overrides: object = {}) => ({
  ...{ type: 'workspace-suite', description, billingAccount: null, subAccount: null },
  ...overrides,
})
const NOTHING = { purchaseOrder: null, costCenter: null }
const DETAILS = { purchaseOrder: 'PO-1', costCenter: '4711' }

describe('assetDetails', () => {
  const plus = asset('Business Plus', DETAILS)
  test.each([
    ['its whole name', line('business  plus'), DETAILS],
    ['a part of its name', line('Business Plus Archive'), NOTHING],
    ['another type', line('Business Plus', { type: 'office-suite' }), NOTHING],
    ['its account', line('Licenses', { billingAccount: 'C-Business Plus' }), DETAILS],
    ['its sub-account', line('Licenses', { billingAccount: 'x', subAccount: 'C-Business Plus' }), DETAILS],
  ])('finds the asset by %s', (_, overrides, details) => {
    expect(assetDetails([plus, asset('Starter')])(overrides)).toEqual(details)
  })

  test('omits details in which two assets differ, and returns common ones', () => {
    const twin = { ...plus, id: 'twin', vendorCustomerId: 'C-2' }
    expect(assetDetails([plus, twin])(line('Business Plus'))).toEqual(DETAILS)
    expect(assetDetails([plus, { ...twin, costCenter: null }])(line('Business Plus'))).toEqual(NOTHING)
  })

  test('distinguishes products of one account by name', () => {
    const account = { vendorCustomerId: 'C-9' }
    const both = [asset('Plus', { ...DETAILS, ...account }), asset('Archive', account)]
    expect(assetDetails(both)(line('Plus', { billingAccount: 'C-9' }))).toEqual(DETAILS)
    expect(assetDetails(both)(line('Archive', { billingAccount: 'C-9' }))).toEqual(NOTHING)
    expect(assetDetails(both)(line('Support', { billingAccount: 'C-9' }))).toEqual(NOTHING)
  })
})

describe('changedBy', () => {
  test('changes present fields, clears null fields, and describes both', () => {
    const before = { purchaseOrder: 'PO-1', buyerReference: 'B', costCenter: null }
    expect(changedBy(before, { purchaseOrder: 'PO-2', buyerReference: null, costCenter: undefined })).toEqual(
      {
        after: { purchaseOrder: 'PO-2', buyerReference: null, costCenter: null },
        details: { changes: ['purchase order: PO-1 → PO-2', 'buyer reference: B → none'] },
      },
    )
    expect(changedBy(before, { purchaseOrder: 'PO-1' })).toEqual({ after: before })
  })
})
