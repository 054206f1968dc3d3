import { callOf } from '#lib/api/client.ts'
import type * as contract from './contract.ts'

export const listAssets = callOf<typeof contract.listAssets>({
  name: 'listAssets',
  method: 'GET',
  path: '/billing/v1/assets',
})

export const setQuantity = callOf<typeof contract.setQuantity>({
  name: 'setQuantity',
  method: 'PATCH',
  path: '/billing/v1/assets/{asset_id}',
})
