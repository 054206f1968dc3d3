import { routesOf } from '#lib/platform/api/call.ts'

export const assetRoutes = routesOf({
  listAssets: 'GET /billing/v1/assets',
  exportAssets: 'GET /billing/v1/assets.csv',
  exportAssetsXlsx: 'GET /billing/v1/assets.xlsx',
  readAsset: 'GET /billing/v1/assets/{asset_id}',
  summarizeAssets: 'GET /billing/v1/asset-summary',
})

export const changeRoutes = routesOf({
  setQuantity: 'PATCH /billing/v1/assets/{asset_id}',
  listLicenseChanges: 'GET /billing/v1/license-changes',
  exportLicenseChanges: 'GET /billing/v1/license-changes.csv',
  exportLicenseChangesXlsx: 'GET /billing/v1/license-changes.xlsx',
  readLicenseChange: 'GET /billing/v1/license-changes/{change_id}',
  acknowledgeLicenseChange: 'PUT /billing/v1/license-changes/{change_id}/acknowledgement',
  readFromVendor: 'POST /billing/v1/assets/{asset_id}/reading',
})

export const renewalOrderRoutes = routesOf({
  readRenewal: 'GET /billing/v1/assets/{asset_id}/renewal',
  orderRenewal: 'PUT /billing/v1/assets/{asset_id}/renewal',
  withdrawRenewal: 'DELETE /billing/v1/assets/{asset_id}/renewal',
})
