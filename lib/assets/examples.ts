import type { Example } from '#lib/api/contract.ts'

export const listAssets: readonly Example[] = []
export const exportAssets: readonly Example[] = []
export const readAsset: readonly Example[] = []
export const summarizeAssets: readonly Example[] = []
