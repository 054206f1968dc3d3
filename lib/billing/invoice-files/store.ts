import 'server-only'
import { createHash } from 'node:crypto'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { type Owner, visibleTo } from '#lib/billing/invoices/selection.ts'
import { type LineItemRow, readLines } from '#lib/billing/invoices/store.ts'
import { wireId } from '#lib/billing/invoices/wire-ids.ts'
import { partyOf } from '#lib/billing/parties/rules.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { builtOnce, value } from '#lib/platform/db/prepared-queries.ts'
import { invoiceFiles, invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { parties } from '#lib/platform/db/schema/invoices/parties.ts'
import type { InvoiceDocument } from './document.ts'
import type { FileKind, StoredKind } from './rules.ts'

/** Content to render, and the version of the row that it was read from. */
export type Drawable = { document: InvoiceDocument; lines: LineItemRow[]; version: string }

// PostgreSQL's own number of the transaction that wrote the row.
const version = sql<string>`${invoices}.xmin::text`

/** The id on the wire of an invoice that is there for this owner. */
export async function findWireId(tx: Transaction, owner: Owner, id: string): Promise<string | undefined> {
  const rows = await tx
    .select({ wireId })
    .from(invoices)
    .where(and(...visibleTo(owner), eq(invoices.id, id)))
  return rows[0]?.wireId
}

/** Reads one invoice for rendering, with its frozen parties, and its lines sorted by position. */
export async function readDrawable(tx: Transaction, owner: Owner, id: string): Promise<Drawable | undefined> {
  const [seller, buyer] = [alias(parties, 'seller'), alias(parties, 'buyer')]
  const [rows, lines] = await Promise.all([
    tx
      .select({
        document: {
          number: invoices.number,
          documentState: invoices.documentState,
          form: invoices.form,
          platform: invoices.platform,
          invoiceDate: invoices.invoiceDate,
          dueDate: invoices.dueDate,
          currency: invoices.currency,
          totalAmount: invoices.totalAmount,
          billingAccount: invoices.billingAccount,
          periodStart: invoices.periodStart,
          periodEnd: invoices.periodEnd,
          corrects: invoices.corrects,
          typeCode: invoices.typeCode,
          netAmount: invoices.netAmount,
          taxAmount: invoices.taxAmount,
          isTaxCalculated: invoices.isTaxCalculated,
          taxBreakdown: invoices.taxBreakdown,
          purchaseOrder: invoices.purchaseOrder,
          buyerReference: invoices.buyerReference,
          costCenter: invoices.costCenter,
          paymentTerms: invoices.paymentTerms,
        },
        seller: seller.content,
        buyer: buyer.content,
        version,
      })
      .from(invoices)
      .innerJoin(seller, and(eq(seller.customerId, invoices.customerId), eq(seller.id, invoices.sellerId)))
      .innerJoin(buyer, and(eq(buyer.customerId, invoices.customerId), eq(buyer.id, invoices.buyerId)))
      .where(and(...visibleTo(owner), eq(invoices.id, id))),
    readLines(tx, owner, id),
  ])
  const [row] = rows
  if (!row) return undefined
  const sides = { seller: partyOf(row.seller), buyer: partyOf(row.buyer) }
  return { document: { ...row.document, ...sides }, lines, version: row.version }
}

/**
 * Stores a rendered PDF of an invoice, unless another process has stored one.
 * @returns whether these bytes are the stored ones. False where another process stored other bytes, or the row was
 * written since it was read: then the rendering may have other content
 */
export async function storeRenderedPdf(
  tx: Transaction,
  { customerId }: Owner,
  id: string,
  { bytes, version: read }: { bytes: Uint8Array; version: string },
): Promise<boolean> {
  const [same] = await tx
    .select({ id: invoices.id })
    .from(invoices)
    .where(and(eq(invoices.customerId, customerId), eq(invoices.id, id), eq(version, read)))
  if (!same) return false
  return storeFile(tx, customerId, { invoiceId: id, kind: 'drawn', bytes })
}

type StoredRow = Omit<StoredFile, 'kind'> & { kind: StoredKind }

/** A stored document of an invoice, without its bytes. */
export type StoredFile = {
  kind: FileKind
  /** Original name of the issuer's document. */
  name: string | null
  /** SHA-256 of the bytes, in hexadecimal digits. */
  digest: string
  size: number
}

const columns = {
  kind: sql<StoredKind>`${invoiceFiles.kind}`,
  name: invoiceFiles.name,
  digest: invoiceFiles.digest,
  size: sql<number>`octet_length(${invoiceFiles.bytes})`,
}

const ofInvoice = (customerId: CustomerId, invoiceId: string) =>
  and(eq(invoiceFiles.customerId, customerId), eq(invoiceFiles.invoiceId, invoiceId))

/** SHA-256 in hexadecimal digits. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Lists the stored documents of an invoice that the caller may see, by kind. */
export async function listStoredFiles(
  tx: Transaction,
  customerId: CustomerId,
  invoiceId: string,
): Promise<StoredFile[]> {
  const stored = await filesQuery(tx, { customerId, invoiceId })
  const isRedrawn = stored.some(({ kind }) => kind === 'redrawn')
  return stored.map((file) => ({ ...file, kind: shownKind(file.kind, isRedrawn) }))
}

/** Returns the public kind of a stored document. */
function shownKind(kind: StoredKind, isRedrawn: boolean): FileKind {
  if (kind === 'redrawn') return 'drawn'
  return kind === 'drawn' && isRedrawn ? 'superseded' : kind
}

/** Stored kinds of each document, the first existing one wins. */
const STORED_KINDS: Record<FileKind, readonly StoredKind[]> = {
  'original-pdf': ['original-pdf'],
  'original-xml': ['original-xml'],
  drawn: ['redrawn', 'drawn'],
  superseded: ['drawn'],
}

const filesQuery = builtOnce<StoredRow[]>((tx) =>
  tx
    .select(columns)
    .from(invoiceFiles)
    .where(ofInvoice(value('customerId'), value('invoiceId')))
    .orderBy(invoiceFiles.kind),
)

/**
 * The first of these kinds that is stored of an invoice, which the caller has been shown to see.
 * @throws Error where the bytes are not those that were stored: damaged ones never leave
 */
export async function readStoredFile(
  tx: Transaction,
  customerId: CustomerId,
  invoiceId: string,
  kinds: readonly FileKind[],
): Promise<(StoredFile & { bytes: Uint8Array }) | undefined> {
  const stored = kinds.flatMap((kind) => STORED_KINDS[kind])
  const redrawn = sql`EXISTS (SELECT FROM invoice_files r WHERE r.customer_id = ${customerId}
    AND r.invoice_id = ${invoiceId} AND r.kind = 'redrawn')`
  const [file] = await tx
    .select({ ...columns, bytes: invoiceFiles.bytes })
    .from(invoiceFiles)
    .where(
      and(
        ofInvoice(customerId, invoiceId),
        inArray(invoiceFiles.kind, stored),
        kinds.includes('superseded') ? redrawn : undefined,
      ),
    )
    .orderBy(sql`array_position(${sql.param(stored)}::text[], ${invoiceFiles.kind})`)
    .limit(1)
  if (file && digestOf(file.bytes) !== file.digest)
    throw new Error(
      `The stored file ${file.kind} of the invoice ${invoiceId} is damaged: its digest is another.`,
    )
  return file && { ...file, kind: shownKind(file.kind, kinds.includes('superseded')) }
}

/**
 * Stores a document, unless one of its kind is there: that is never written over.
 * @returns whether it was stored now
 */
export async function storeFile(
  tx: Transaction,
  customerId: CustomerId,
  { invoiceId, kind, name, bytes }: { invoiceId: string; kind: StoredKind; name?: string; bytes: Uint8Array },
): Promise<boolean> {
  // A view, not a copy.
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const values = { customerId, invoiceId, kind, name, digest: digestOf(bytes), bytes: buffer }
  const { rowCount } = await tx.insert(invoiceFiles).values(values).onConflictDoNothing()
  return rowCount === 1
}
