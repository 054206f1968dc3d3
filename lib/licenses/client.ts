import { queriesOf } from '#lib/platform/api/client.ts'
import type * as assets from './assets/contract.ts'
import type * as changes from './license-changes/contract.ts'
import type * as renewals from './renewal-orders/contract.ts'
import { assetRoutes, changeRoutes, renewalOrderRoutes } from './routes.ts'

export const { listAssets, readAsset, exportAssets, exportAssetsXlsx } = queriesOf<typeof assets>(assetRoutes)

export const {
  setQuantity,
  listLicenseChanges,
  exportLicenseChanges,
  exportLicenseChangesXlsx,
  readLicenseChange,
  acknowledgeLicenseChange,
  readFromVendor,
} = queriesOf<typeof changes>(changeRoutes)

export const { readRenewal, orderRenewal, withdrawRenewal } = queriesOf<typeof renewals>(renewalOrderRoutes)
