import 'server-only'
import { checked, keyOrRefuse } from '#lib/billing/invoices/operations.ts'
import { MAX_FILES } from '#lib/billing/invoices/rules.ts'
import { findInvoices } from '#lib/billing/invoices/search.ts'
import { daysOf, type Selection } from '#lib/billing/invoices/selection.ts'
import type { InvoiceSort } from '#lib/billing/invoices/sort.ts'
import { countLines } from '#lib/billing/invoices/store.ts'
import { findKey } from '#lib/billing/invoices/wire-ids.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { attachment, downloadName, fileName } from '#lib/platform/files/attachment.ts'
import { uniqueNames, zip } from '#lib/platform/files/zip.ts'
import * as contract from './contract.ts'
import { MAX_PRINTED_LINES } from './document.ts'
import { readCopy, readFile } from './files.ts'
import { BYTES, MEDIA_TYPES } from './rules.ts'

export const readInvoiceFile = operation(contract.readInvoiceFile, async (caller, { params, query }) => {
  const key = await keyOrRefuse(caller, params.invoice_id)
  const { kind: kindOrCopy } = query
  const file = await (kindOrCopy === 'copy' ? readCopy(caller, key) : readFile(caller, key, kindOrCopy))
  if (!file) throw new Problem('not_found')
  const { bytes, digest, kind, name } = file
  // XML may be a page with scripts: as application/octet-stream, no browser opens it.
  const mediaType = kind === 'original-xml' ? BYTES : MEDIA_TYPES[kind]
  const sha256 = Buffer.from(digest, 'hex').toString('base64')
  return { body: bytes, headers: { ...attachment(name, mediaType), 'Repr-Digest': `sha-256=:${sha256}:` } }
})

/** Printed line items of one archive: half a minute of drawing. */
const MAX_LINES = 50_000

export const exportInvoiceFiles = operation(contract.exportInvoiceFiles, async (caller, { query }) => {
  const body = invoicesZip(caller, checked(query))
  return { body, headers: attachment(`${downloadName('invoices', daysOf(query))}.zip`, 'application/zip') }
})

type Selected = Selection & { orderBy?: InvoiceSort | undefined }

/**
 * Streams the PDFs of a selection as one ZIP archive in list order, each as in its own download. Documents are read one
 * by one: no connection waits for the client.
 * @throws Problem `not_found` where the selection is empty, or one of `ids` is missing; `invalid_request` for too many
 */
async function* invoicesZip(caller: Caller, { orderBy, ...selected }: Selected) {
  const { rows, lines } = await readScope(caller, async (tx) => {
    const selection = { ...selected, ids: selected.ids && (await keysOf(tx, caller, selected.ids)) }
    const matches = await findInvoices(tx, caller, selection, { limit: MAX_FILES + 1, orderBy })
    const counts = await countLines(
      tx,
      caller,
      matches.map(({ id }) => id),
    )
    const printed = [...counts.values()].map((count) => Math.min(count, MAX_PRINTED_LINES))
    return { rows: matches, lines: printed.reduce((sum, count) => sum + count, 0) }
  })
  if (rows.length < (selected.ids?.length ?? 1)) throw new Problem('not_found')
  if (rows.length > MAX_FILES) throw tooMany(`${MAX_FILES} invoices`)
  if (lines > MAX_LINES) throw tooMany(`${MAX_LINES.toLocaleString('en')} line items`)
  const names = uniqueNames(
    rows.map(({ wireId }) => fileName(wireId)),
    'pdf',
  )
  yield* zip(
    rows.map(({ id, invoiceDate }, index) => ({
      name: names[index] ?? '',
      day: invoiceDate,
      read: async () => {
        const file = await readFile(caller, id)
        if (!file) throw new Error('An invoice of the archive is gone.')
        return file.bytes
      },
    })),
  )
}

/** Returns the keys of the invoices that these ids lead to; an unknown id stays as it is. */
async function keysOf(tx: Transaction, caller: Caller, ids: readonly string[]): Promise<string[]> {
  const keys = await Promise.all(ids.map(async (id) => (await findKey(tx, caller, id)) ?? id))
  return [...new Set(keys)]
}

function tooMany(most: string): Problem {
  return new Problem(
    'invalid_request',
    `These are more than ${most}, which is the most that one archive holds. Narrow the filters.`,
  )
}
