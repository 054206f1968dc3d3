import type { Example } from '#lib/api/openapi/example.ts'

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
        properties: {
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
        },
        etag: '"1._EnRKzSHoNIyhQ2_-uId_s"',
        vendor: {
          name: 'built-in',
          label: 'The vendor',
          quantityIsCap: false,
          takesLicenses: false,
          locksIncreases: false,
        },
      },
    },
  },
]
