import type { Example } from '#lib/api/contract.ts'

export const compareInvoices: readonly Example[] = []
