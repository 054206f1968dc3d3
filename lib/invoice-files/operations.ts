import 'server-only'
import { operation } from '#lib/api/operation.ts'
import { Problem } from '#lib/api/problem.ts'
import { attachment, fileName } from '#lib/files/attachment.ts'
import { checked } from '#lib/invoices/operations.ts'
import { invoicesZip, readFile } from './archive.ts'
import * as contract from './contract.ts'

export const readInvoiceFile = operation(contract.readInvoiceFile, async (caller, { params }) => {
  const file = await readFile(caller, params.invoice_id)
  if (!file) throw new Problem('not_found')
  return { body: file.bytes, headers: attachment(`${fileName(file.id)}.pdf`, 'application/pdf') }
})

export const exportInvoiceFiles = operation(contract.exportInvoiceFiles, async (caller, { query }) => {
  const body = invoicesZip(caller, checked(query))
  return { body, headers: attachment('invoices.zip', 'application/zip') }
})
