import 'server-only'
import type { Owner } from '#lib/billing/invoices/selection.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { readPaymentList } from './payment-list.ts'
import { type RenderPdf, renderInWorker } from './render.ts'
import type { FileKind, ReadableKind } from './rules.ts'
import { savedName } from './serialize.ts'
import * as store from './store.ts'
import { digestOf, readStoredFile, type StoredFile } from './store.ts'

/** A document of an invoice: its bytes, their digest, and the name under which it is saved. */
export type InvoiceFile = { kind: ReadableKind; name: string; digest: string; bytes: Uint8Array }

/** A row that is written again and again while it is drawn. */
const MAX_ATTEMPTS = 5

/**
 * Returns a document of an invoice; without a kind, the issuer's own PDF if stored, else ours. Ours is rendered at the
 * first request and stored, so that later and parallel requests get the same bytes forever; drafts and voided invoices
 * are rendered but not stored.
 * @param id the row's key
 * @returns undefined where the caller can't see the invoice, or the invoice has no issuer document of this kind
 * @throws Error where stored bytes are damaged
 */
export async function readFile(
  caller: Owner,
  id: string,
  kind?: FileKind,
  render: RenderPdf = renderInWorker,
): Promise<InvoiceFile | undefined> {
  const kinds: FileKind[] = kind ? [kind] : ['original-pdf', 'drawn']
  const readStored = () =>
    readScope(caller, async (tx) => {
      const [wireId, file] = await Promise.all([
        store.findWireId(tx, caller, id),
        readStoredFile(tx, caller.customerId, id, kinds),
      ])
      return wireId === undefined ? undefined : { wireId, file }
    })
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    const stored = await readStored()
    if (!stored) return undefined
    if (stored.file) return named(stored.wireId, stored.file)
    if (!kinds.includes('drawn')) return undefined
    const read = await readScope(caller, (tx) => store.readDrawable(tx, caller, id))
    if (!read) return undefined
    const bytes = await render(read.document, read.lines, caller.customerId)
    const { version, document } = read
    const isOurs =
      document.documentState !== 'issued' ||
      (await scope(caller, (tx) => store.storeRenderedPdf(tx, caller, id, { bytes, version }), {
        evenIfClosed: true,
      }))
    if (isOurs) return named(stored.wireId, { kind: 'drawn', name: null, digest: digestOf(bytes), bytes })
    // A parallel request has stored its rendering first: the next iteration reads that one.
  }
  throw new Error(`The invoice ${id} was written again and again while it was drawn.`)
}

/**
 * Returns a copy of our document with the payments and credits until now. It is rendered at each request, and never
 * stored: the document itself stays as it is.
 * @param id the row's key
 * @returns undefined where the caller can't see the invoice, or it is not issued
 */
export async function readCopy(
  caller: Owner,
  id: string,
  render: RenderPdf = renderInWorker,
): Promise<InvoiceFile | undefined> {
  const read = await readScope(caller, async (tx) => {
    const drawable = await store.readDrawable(tx, caller, id)
    const wireId = await store.findWireId(tx, caller, id)
    if (!drawable || wireId === undefined || drawable.document.documentState !== 'issued') return undefined
    return { ...drawable, wireId, paymentList: await readPaymentList(tx, caller, id, drawable.document) }
  })
  if (!read) return undefined
  const { document, lines, paymentList, wireId } = read
  const bytes = await render({ ...document, paymentList }, lines, caller.customerId)
  return { kind: 'copy', name: savedName(wireId, 'copy'), digest: digestOf(bytes), bytes }
}

function named(
  wireId: string,
  file: Omit<StoredFile, 'size'> & { kind: FileKind; bytes: Uint8Array },
): InvoiceFile {
  const { kind, digest, bytes } = file
  return { kind, name: savedName(wireId, kind, file.name), digest, bytes }
}
