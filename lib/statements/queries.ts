import { callOf } from '#lib/api/client.ts'
import type * as contract from './contract.ts'

export const readStatement = callOf<typeof contract.readStatement>({
  name: 'readStatement',
  method: 'GET',
  path: '/billing/v1/statement',
})

/** A file: its path is what is needed. */
export const exportStatement = callOf<typeof contract.exportStatement>({
  name: 'exportStatement',
  method: 'GET',
  path: '/billing/v1/statement.csv',
})
