import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  listAssets: 'GET /billing/v1/assets',
  exportAssets: 'GET /billing/v1/assets.csv',
  exportAssetsXlsx: 'GET /billing/v1/assets.xlsx',
  readAsset: 'GET /billing/v1/assets/{asset_id}',
  summarizeAssets: 'GET /billing/v1/asset-summary',
})
