import 'server-only'
import { checked } from '#lib/billing/invoices/operations.ts'
import { daysOf } from '#lib/billing/invoices/selection.ts'
import { BYTES, MEDIA_TYPES } from '#lib/billing/kept-files/rules.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { attachment, named } from '#lib/platform/files/attachment.ts'
import { invoicesZip } from './archive.ts'
import * as contract from './contract.ts'
import { readFile } from './files.ts'

export const readInvoiceFile = operation(contract.readInvoiceFile, async (caller, { params, query }) => {
  const file = await readFile(caller, params.invoice_id, query.kind)
  if (!file) throw new Problem('not_found')
  const { bytes, digest, kind, name } = file
  // XML may be a page with scripts: no browser opens what is only bytes.
  const mediaType = kind === 'original-xml' ? BYTES : MEDIA_TYPES[kind]
  const sha256 = Buffer.from(digest, 'hex').toString('base64')
  return { body: bytes, headers: { ...attachment(name, mediaType), 'Repr-Digest': `sha-256=:${sha256}:` } }
})

export const exportInvoiceFiles = operation(contract.exportInvoiceFiles, async (caller, { query }) => {
  const body = invoicesZip(caller, checked(query))
  return { body, headers: attachment(`${named('invoices', daysOf(query))}.zip`, 'application/zip') }
})
