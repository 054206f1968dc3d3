import { callOf } from '#lib/api/client.ts'
import type * as contract from './contract.ts'

export const compareInvoices = callOf<typeof contract.compareInvoices>({
  name: 'compareInvoices',
  method: 'GET',
  path: '/billing/v1/invoice-comparison',
})

/** A file: its path is what is needed. */
export const exportComparison = callOf<typeof contract.exportComparison>({
  name: 'exportComparison',
  method: 'GET',
  path: '/billing/v1/invoice-comparison.csv',
})
