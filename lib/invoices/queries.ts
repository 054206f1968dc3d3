import { callOf } from '#lib/api/client.ts'
import type * as contract from './contract.ts'

export const listInvoices = callOf<typeof contract.listInvoices>({
  name: 'listInvoices',
  method: 'GET',
  path: '/billing/v1/invoices',
  seconds: ['minCreationTime', 'maxCreationTime'],
})

export const summarizeInvoices = callOf<typeof contract.summarizeInvoices>({
  name: 'summarizeInvoices',
  method: 'GET',
  path: '/billing/v1/invoice-summary',
  seconds: ['minCreationTime', 'maxCreationTime'],
})

export const readInvoice = callOf<typeof contract.readInvoice>({
  name: 'readInvoice',
  method: 'GET',
  path: '/billing/v1/invoices/{invoice_id}',
})

/** A file: its path is what is needed. */
export const exportInvoices = callOf<typeof contract.exportInvoices>({
  name: 'exportInvoices',
  method: 'GET',
  path: '/billing/v1/invoices.csv',
  seconds: ['minCreationTime', 'maxCreationTime'],
})
