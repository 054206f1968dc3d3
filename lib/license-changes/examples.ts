import type { Example } from '#lib/api/contract.ts'

export const setQuantity: readonly Example[] = []
export const listLicenseChanges: readonly Example[] = []
export const readLicenseChange: readonly Example[] = []
