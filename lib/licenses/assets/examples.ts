import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'

const BUSINESS_PLUS = {
  id: 'workspace-suite-81f3c2',
  type: 'workspace-suite',
  licenseQty: '250',
  assetName: 'Business Plus',
  url: 'https://console.example.com/assets?filter=type:workspace-suite',
  name: 'Business Plus',
  quantity: 250,
  createTime: 1770022800000,
}

export const listAssets: readonly Example[] = [
  {
    name: 'two-types',
    summary: 'Assets of two types',
    query: { filter: 'type:workspace-suite|cloud-platform', maxResults: 100 },
    answer: {
      status: 200,
      body: {
        assets: [
          {
            id: 'workspace-suite-5d20a7',
            type: 'workspace-suite',
            licenseQty: '60',
            assetName: 'Enterprise Standard',
            url: 'https://console.example.com/assets?filter=type:workspace-suite',
            name: 'Enterprise Standard',
            quantity: 60,
            createTime: 1772355600000,
          },
          BUSINESS_PLUS,
          {
            id: 'cloud-platform-3f6a90',
            type: 'cloud-platform',
            licenseQty: 'N/A',
            assetName: 'Production',
            url: 'https://console.example.com/assets?filter=type:cloud-platform',
            name: 'Production',
            createTime: 1768467600000,
          },
        ],
        rowCount: 3,
      },
    },
  },
  {
    name: 'idle-by-name',
    summary: 'Workspace suites with many unassigned licenses, by name',
    query: { filter: 'usage:idle|type:workspace-suite', orderBy: 'name asc' },
    answer: { status: 200, body: { assets: [BUSINESS_PLUS], rowCount: 1 } },
  },
  {
    name: 'unknown-key',
    summary: 'A filter with a key that it does not know',
    query: { filter: 'colour:red' },
    answer: problemAnswer(
      'filter_invalid',
      'filter: can be of these only: type, status, plan, usage, domain',
      {
        errors: [{ parameter: 'filter', detail: 'can be of these only: type, status, plan, usage, domain' }],
      },
    ),
  },
]

export const exportAssets: readonly Example[] = [
  {
    name: 'one-type',
    summary: 'All workspace suites',
    query: { filter: 'type:workspace-suite' },
    answer: {
      status: 200,
      body: 'id,type,name,customerDomain,customerID,reseller,createDate,purchasedSeats,maximumSeats,assignedSeats,subscriptionID,skuID,skuName,status,planName,isCommitmentPlan,commitmentStartDate,commitmentEndDate,renewalType,billingMethod,purchaseOrderID\r\nworkspace-suite-5d20a7,workspace-suite,Enterprise Standard,northwind.example,C1,sales@reseller.example,2026-03-01,60,60,57,S1,SKU1,Enterprise Standard,ACTIVE,ANNUAL_MONTHLY_PAY,true,2026-03-01,2027-03-01,AUTO_RENEW,ONLINE,\r\nworkspace-suite-81f3c2,workspace-suite,Business Plus,northwind.example,C1,sales@reseller.example,2026-02-02,250,250,182,S1,SKU1,Business Plus,ACTIVE,FLEXIBLE,false,,,,ONLINE,\r\n',
    },
  },
]

export const exportAssetsXlsx: readonly Example[] = [
  {
    name: 'one-type',
    summary: 'The assets of one type',
    query: { filter: 'type:workspace-suite' },
    answer: { status: 200 },
  },
]

/** Asset with a commitment; other examples use the same asset. */
export const committed = {
  customerDomain: 'northwind.example',
  customerID: 'C1',
  reseller: 'sales@reseller.example',
  subscription: {
    BillingMethod: 'ONLINE',
    CreationTime: 1772355600000,
    PurchaseOrderID: '',
    ResourceUIURL: '',
    SkuID: 'SKU1',
    SkuName: 'Enterprise Standard',
    Status: 'ACTIVE',
    ID: 'S1',
    Plan: {
      CommitmentInterval: true,
      CommitmentStartTime: 1772323200000,
      CommitmentEndTime: 1803859200000,
      IsCommitmentPlan: true,
      PlanName: 'ANNUAL_MONTHLY_PAY',
    },
    RenewalSettings: { renewalType: 'AUTO_RENEW' },
    Seats: { LicensedNumberOfSeats: 57, MaximumNumberOfSeats: 60, NumberOfSeats: 60 },
  },
}

export const readAsset: readonly Example[] = [
  {
    name: 'commitment',
    summary: 'An asset with a commitment',
    params: { asset_id: 'workspace-suite-5d20a7' },
    answer: {
      status: 200,
      body: {
        id: 'workspace-suite-5d20a7',
        type: 'workspace-suite',
        properties: committed,
        settings: null,
      },
    },
  },
  {
    name: 'nothing-there',
    summary: 'No asset has this id',
    params: { asset_id: 'workspace-suite-0' },
    answer: problemAnswer('not_found'),
  },
]

export const summarizeAssets: readonly Example[] = [
  {
    name: 'all',
    summary: 'Assets of all types',
    answer: {
      status: 200,
      body: {
        count: 5,
        types: [
          { type: 'cloud-platform', count: 1 },
          { type: 'office-suite', count: 2 },
          { type: 'workspace-suite', count: 2 },
        ],
      },
    },
  },
]
