import type { Example } from '#lib/api/contract.ts'

export const readStatement: readonly Example[] = []
