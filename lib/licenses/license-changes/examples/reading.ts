import { committed } from '#lib/licenses/assets/examples.ts'
import type { Example } from '#lib/platform/api/openapi/example.ts'

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
