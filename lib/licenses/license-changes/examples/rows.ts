// What the examples of changes tell of: one customer's assets, as the tests of the examples set them up.

export const openChange = {
  changeId: '5f0c6a1e-0002',
  to: 120,
  changedBy: 'API key joiners-sync',
  changedAt: 1793614500000,
}
export const stale = {
  current: 250,
  changedBy: 'API key joiners-sync',
  changedAt: 1788251400000,
  etag: '"3.lXBneKNMuVuqP49At4QkOs"',
}
const asker = { kind: 'key', id: 'K1', name: 'joiners-sync' }

export const assetOf45 = {
  id: 'office-suite-7e91b4',
  type: 'office-suite',
  properties: {
    customerDomain: 'northwind.example',
    customerID: 'C1',
    reseller: 'sales@reseller.example',
    subscription: {
      BillingMethod: 'ONLINE',
      CreationTime: 1775552400000,
      PurchaseOrderID: '',
      ResourceUIURL: '',
      SkuID: 'SKU1',
      SkuName: 'Office E3',
      Status: 'ACTIVE',
      ID: 'S1',
      Plan: { CommitmentInterval: null, IsCommitmentPlan: false, PlanName: 'FLEXIBLE' },
      RenewalSettings: null,
      Seats: { LicensedNumberOfSeats: 31, MaximumNumberOfSeats: 45, NumberOfSeats: 45 },
    },
  },
  settings: null,
}
export const applied = {
  id: '5f0c6a1e-0001',
  assetId: 'workspace-suite-81f3c2',
  assetName: 'Business Plus',
  type: 'workspace-suite',
  from: 240,
  to: 250,
  state: 'APPLIED',
  actor: asker,
  createTime: 1788251400000,
  settleTime: 1788251400000,
}
export const unconfirmed = {
  id: '5f0c6a1e-0002',
  assetId: 'office-suite-c04d11',
  assetName: 'Office E1',
  type: 'office-suite',
  from: 100,
  to: 120,
  state: 'UNKNOWN',
  actor: asker,
  createTime: 1793614500000,
  knownBy: 1793614696000,
}
