import { callOf } from '#lib/api/client.ts'
import type * as contract from './contract.ts'

export const setQuantity = callOf<typeof contract.setQuantity>({
  name: 'setQuantity',
  method: 'PATCH',
  path: '/billing/v1/assets/{asset_id}',
})

export const listLicenseChanges = callOf<typeof contract.listLicenseChanges>({
  name: 'listLicenseChanges',
  method: 'GET',
  path: '/billing/v1/license-changes',
  seconds: ['minCreationTime', 'maxCreationTime'],
})

export const readLicenseChange = callOf<typeof contract.readLicenseChange>({
  name: 'readLicenseChange',
  method: 'GET',
  path: '/billing/v1/license-changes/{change_id}',
})
