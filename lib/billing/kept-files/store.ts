import 'server-only'
import { createHash } from 'node:crypto'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { invoiceFiles } from '#lib/platform/db/schema/invoices/invoices.ts'
import { builtOnce, value } from '#lib/platform/db/statements.ts'
import type { FileKind } from './rules.ts'

/** A stored document of an invoice, without its bytes. */
export type KeptFile = {
  kind: FileKind
  /** Of the issuer's own, the name that it came with. */
  name: string | null
  /** SHA-256 of the bytes, in hexadecimal digits. */
  digest: string
  size: number
}

const columns = {
  kind: sql<FileKind>`${invoiceFiles.kind}`,
  name: invoiceFiles.name,
  digest: invoiceFiles.digest,
  size: sql<number>`octet_length(${invoiceFiles.bytes})`,
}

const of = (customerId: CustomerId, invoiceId: string) =>
  and(eq(invoiceFiles.customerId, customerId), eq(invoiceFiles.invoiceId, invoiceId))

/** SHA-256 in hexadecimal digits. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** What is stored of an invoice that the caller has been shown to see, by kind. */
export function listKept(tx: Transaction, customerId: CustomerId, invoiceId: string): Promise<KeptFile[]> {
  return kept(tx, { customerId, invoiceId })
}

const kept = builtOnce<KeptFile[]>((tx) =>
  tx
    .select(columns)
    .from(invoiceFiles)
    .where(of(value('customerId'), value('invoiceId')))
    .orderBy(invoiceFiles.kind),
)

/**
 * The first of these kinds that is stored of an invoice, which the caller has been shown to see.
 * @throws Error where the bytes are not those that were stored: damaged ones never leave
 */
export async function readKept(
  tx: Transaction,
  customerId: CustomerId,
  invoiceId: string,
  kinds: readonly FileKind[],
): Promise<(KeptFile & { bytes: Uint8Array }) | undefined> {
  const [file] = await tx
    .select({ ...columns, bytes: invoiceFiles.bytes })
    .from(invoiceFiles)
    .where(and(of(customerId, invoiceId), inArray(invoiceFiles.kind, [...kinds])))
    .orderBy(sql`array_position(${sql.param([...kinds])}::text[], ${invoiceFiles.kind})`)
    .limit(1)
  if (file && digestOf(file.bytes) !== file.digest)
    throw new Error(
      `The stored file ${file.kind} of the invoice ${invoiceId} is damaged: its digest is another.`,
    )
  return file
}

/**
 * Stores a document, unless one of its kind is there: that is never written over.
 * @returns whether it was stored now
 */
export async function keepFile(
  tx: Transaction,
  customerId: CustomerId,
  { invoiceId, kind, name, bytes }: { invoiceId: string; kind: FileKind; name?: string; bytes: Uint8Array },
): Promise<boolean> {
  // A view, not a copy.
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const values = { customerId, invoiceId, kind, name, digest: digestOf(bytes), bytes: buffer }
  const { rowCount } = await tx.insert(invoiceFiles).values(values).onConflictDoNothing()
  return rowCount === 1
}
