import { callOf } from '#lib/api/client.ts'
import type * as contract from './contract.ts'

/** A file: its path is what is needed. */
export const readInvoiceFile = callOf<typeof contract.readInvoiceFile>({
  name: 'readInvoiceFile',
  method: 'GET',
  path: '/billing/v1/invoices/{invoice_id}/file',
})

/** A file: its path is what is needed. */
export const exportInvoiceFiles = callOf<typeof contract.exportInvoiceFiles>({
  name: 'exportInvoiceFiles',
  method: 'GET',
  path: '/billing/v1/invoices.zip',
  seconds: ['minCreationTime', 'maxCreationTime'],
})
