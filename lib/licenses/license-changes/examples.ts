import { committed } from '#lib/licenses/assets/examples.ts'
import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'

// Assets of one customer for the examples of changes, as the tests of the examples set them up.

const openChange = {
  changeId: '5f0c6a1e-0002',
  to: 120,
  changedBy: 'API key joiners-sync',
  changedAt: 1793614500000,
}
const stale = {
  current: 250,
  changedBy: 'API key joiners-sync',
  changedAt: 1788251400000,
  etag: '"3.lXBneKNMuVuqP49At4QkOs"',
}
const asker = { kind: 'key', id: 'K1', name: 'joiners-sync' }

const assetOf45 = {
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
const applied = {
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
const unconfirmed = {
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

export const setQuantity: readonly Example[] = [
  {
    name: 'more',
    summary: 'Five licenses more',
    params: { asset_id: 'office-suite-7e91b4' },
    body: { quantity: 45 },
    answer: { status: 200, body: assetOf45 },
  },
  {
    name: 'no-whole-number',
    summary: 'Not a whole number',
    params: { asset_id: 'office-suite-7e91b4' },
    body: { quantity: 1.5 },
    answer: problemAnswer('invalid_request', '/quantity: must be a whole number, as a JSON number', {
      errors: [{ pointer: '/quantity', detail: 'must be a whole number, as a JSON number' }],
    }),
  },
  {
    name: 'less-on-commitment',
    summary: 'Fewer licenses on a commitment plan',
    params: { asset_id: 'workspace-suite-5d20a7' },
    body: { quantity: 50 },
    answer: problemAnswer(
      'decrease_not_allowed',
      'This commitment plan cannot go below 60 licenses before 2027-03-01.',
      {
        members: {
          current: 60,
          minimum: 60,
          commitmentEndTime: 1803859200000,
          renewal: {
            url: 'https://console.example.com/billing/v1/assets/workspace-suite-5d20a7/renewal',
            decideBy: 1803772800000,
          },
        },
      },
    ),
  },
  {
    name: 'another-change',
    summary: 'Another change is not settled yet',
    params: { asset_id: 'office-suite-c04d11' },
    body: { quantity: 130 },
    answer: problemAnswer(
      'change_in_progress',
      'API key joiners-sync asked for 120 licenses, and the vendor has not confirmed it yet.',
      { members: openChange },
    ),
  },
  {
    name: 'stale',
    summary: 'Someone has changed it since it was read',
    params: { asset_id: 'workspace-suite-81f3c2' },
    headers: { 'if-match': '"2.Xb1Yq0aCkQ0Jr2vS5m8d3w"' },
    body: { quantity: 260 },
    answer: problemAnswer('version_mismatch', 'API key joiners-sync set this to 250 since you read it.', {
      members: stale,
    }),
  },
  {
    name: 'below-users',
    summary: 'A dry run of fewer licenses than users have',
    params: { asset_id: 'workspace-suite-81f3c2' },
    query: { dryRun: true },
    body: { quantity: 150 },
    answer: problemAnswer(
      'vendor_rejected',
      '182 users are assigned. Unassign 32 first, or choose 182 or more.',
    ),
  },
  {
    name: 'no-access',
    summary: 'A dry run at a vendor that does not let the reseller in',
    params: { asset_id: 'office-suite-c04d11' },
    query: { dryRun: true },
    body: { quantity: 120 },
    answer: problemAnswer(
      'vendor_unavailable',
      'We have no access to Microsoft at the moment, which your reseller can restore. Nothing was changed.',
      { members: { because: 'no_access' } },
    ),
  },
  {
    name: 'not-confirmed',
    summary: 'The vendor has not confirmed the change yet',
    params: { asset_id: 'office-suite-c04d11' },
    body: { quantity: 120 },
    answer: problemAnswer(
      'outcome_unknown',
      'Microsoft has not confirmed the change yet. It is looked up again; asking for the same total is safe.',
      { members: { changeId: '5f0c6a1e-0002' } },
    ),
  },
]

const { knownBy: _, ...settled } = unconfirmed
const checked = {
  ...settled,
  id: '5f0c6a1e-0003',
  to: 110,
  state: 'UNCLEAR',
  vendorReason:
    'We can’t tell whether the change to 110 reached Microsoft: it did not answer when it was asked.',
  createTime: 1793354400000,
  settleTime: 1793354400000,
  acknowledged: { actor: { kind: 'member', id: 'M1', name: 'Ana Ruiz' }, time: 1793444400000 },
}

export const listLicenseChanges: readonly Example[] = [
  {
    name: 'one-asset',
    summary: 'Changes of an asset',
    query: { filter: 'asset:workspace-suite-81f3c2' },
    answer: { status: 200, body: { licenseChanges: [applied], rowCount: 1 } },
  },
]

export const exportLicenseChanges: readonly Example[] = [
  {
    name: 'one-asset',
    summary: 'Changes of an asset',
    query: { filter: 'asset:workspace-suite-81f3c2' },
    answer: {
      status: 200,
      body: 'time,assetId,assetName,type,from,to,difference,state,vendorReason,actorKind,actorId,actorName,settleTime,acknowledgedTime,acknowledgedBy,id\r\n2026-09-01T08:30:00.000Z,workspace-suite-81f3c2,Business Plus,workspace-suite,240,250,10,APPLIED,,key,K1,joiners-sync,2026-09-01T08:30:00.000Z,,,5f0c6a1e-0001\r\n',
    },
  },
]

export const exportLicenseChangesXlsx: readonly Example[] = [
  {
    name: 'one-asset',
    summary: 'Changes of an asset',
    query: { filter: 'asset:workspace-suite-81f3c2' },
    answer: { status: 200 },
  },
]

export const readLicenseChange: readonly Example[] = [
  {
    name: 'open',
    summary: 'A change that the vendor has not confirmed yet',
    params: { change_id: '5f0c6a1e-0002' },
    answer: { status: 200, body: unconfirmed },
  },
]

export const acknowledgeLicenseChange: readonly Example[] = [
  {
    name: 'checked',
    summary: 'An unclear change that was checked',
    params: { change_id: '5f0c6a1e-0003' },
    answer: { status: 200, body: checked },
  },
  {
    name: 'settled',
    summary: 'A change whose outcome is known',
    params: { change_id: '5f0c6a1e-0001' },
    answer: problemAnswer('change_settled', 'This change is APPLIED: there is nothing to acknowledge.'),
  },
]

export const readFromVendor: readonly Example[] = [
  {
    name: 'own-books',
    summary: 'An asset whose books are our own, which need no asking',
    params: { asset_id: 'workspace-suite-5d20a7' },
    answer: {
      status: 200,
      body: {
        id: 'workspace-suite-5d20a7',
        type: 'workspace-suite',
        licenseQty: '60',
        assetName: 'Enterprise Standard',
        url: 'https://console.example.com/assets?filter=type:workspace-suite',
        name: 'Enterprise Standard',
        quantity: 60,
        createTime: 1772355600000,
        properties: committed,
        etag: '"1._EnRKzSHoNIyhQ2_-uId_s"',
        vendor: {
          name: 'built-in',
          label: 'The vendor',
          quantityIsCap: false,
          takesLicenses: false,
          locksIncreases: false,
          ordersTotals: true,
        },
      },
    },
  },
]
