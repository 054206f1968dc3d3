import { callOf } from '#lib/api/client.ts'
import type * as contract from './contract.ts'

export const listAssets = callOf<typeof contract.listAssets>({
  name: 'listAssets',
  method: 'GET',
  path: '/billing/v1/assets',
})

export const readAsset = callOf<typeof contract.readAsset>({
  name: 'readAsset',
  method: 'GET',
  path: '/billing/v1/assets/{asset_id}',
})

/** A file: its path is what is needed. */
export const exportAssets = callOf<typeof contract.exportAssets>({
  name: 'exportAssets',
  method: 'GET',
  path: '/billing/v1/assets.csv',
})
