import type { Example } from '#lib/api/contract.ts'

export const listInvoices: readonly Example[] = []
export const exportInvoices: readonly Example[] = []
export const readInvoice: readonly Example[] = []
export const summarizeInvoices: readonly Example[] = []
