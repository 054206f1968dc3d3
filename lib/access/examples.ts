import type { Example } from '#lib/api/contract.ts'

export const validateKey: readonly Example[] = []
