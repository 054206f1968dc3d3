import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import {
  type LinePostingRow,
  linePostingColumns,
  type PostingRow,
  postingColumns,
} from '#lib/billing/posting/columns.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { invoices, lineItems } from '#lib/platform/db/schema/invoices/invoices.ts'
import { value } from '#lib/platform/db/statements.ts'
import { type Owner, owned, ownedOnce, today } from './owned-and-selected.ts'
import type { DocumentForm, DocumentState } from './rules.ts'

/** Amounts are exact decimal text, dates `YYYY-MM-DD`; a period's end is exclusive; `today` is the database's day in UTC. */
export type InvoiceRow = PostingRow & {
  id: string
  /** As its issuer numbers it. */
  number: string
  documentState: DocumentState
  form: DocumentForm
  billingProfileId: string
  platform: string
  issuer: string
  invoiceDate: string
  dueDate: string
  currency: string
  totalAmount: string
  balanceAmount: string
  billingAccount: string | null
  periodStart: string | null
  periodEnd: string | null
  /** The number of the same issuer's invoice that this one refers to. */
  corrects: string | null
  today: string
}
export type ShownRow = Pick<InvoiceRow, keyof typeof shownColumns>
export type LineItemRow = Pick<typeof lineItems.$inferSelect, keyof typeof plainLine> & LinePostingRow

/** What a list shows of an invoice. */
export const shownColumns = {
  id: invoices.id,
  number: invoices.number,
  // A check of the table holds both to these sets.
  documentState: sql<DocumentState>`${invoices.documentState}`,
  billingProfileId: invoices.billingProfileId,
  platform: invoices.platform,
  issuer: invoices.issuer,
  invoiceDate: invoices.invoiceDate,
  dueDate: invoices.dueDate,
  currency: invoices.currency,
  totalAmount: invoices.totalAmount,
  balanceAmount: invoices.balanceAmount,
  today,
}
/** What is read of an invoice. */
export const invoiceColumns = {
  ...shownColumns,
  form: sql<DocumentForm>`${invoices.form}`,
  billingAccount: invoices.billingAccount,
  periodStart: invoices.periodStart,
  periodEnd: invoices.periodEnd,
  corrects: invoices.corrects,
  ...postingColumns,
}

const headOf = ownedOnce<InvoiceRow[]>((tx, owner) =>
  tx
    .select(invoiceColumns)
    .from(invoices)
    .where(and(...owned(owner), eq(invoices.id, value('id')))),
)

/** One invoice without its lines. */
export async function readHead(tx: Transaction, owner: Owner, id: string): Promise<InvoiceRow | undefined> {
  return (await headOf(tx, owner, { id }))[0]
}

/** One invoice with its lines in their order. */
export async function readInvoice(
  tx: Transaction,
  owner: Owner,
  id: string,
): Promise<{ invoice: InvoiceRow; lines: LineItemRow[] } | undefined> {
  const [invoice, lines] = await Promise.all([readHead(tx, owner, id), readLines(tx, owner, id)])
  return invoice && { invoice, lines }
}

const linesOf = ownedOnce<LineItemRow[]>((tx, owner) => {
  const own = and(
    eq(invoices.customerId, lineItems.customerId),
    eq(invoices.id, lineItems.invoiceId),
    ...owned(owner),
  )
  return tx
    .select(lineColumns)
    .from(lineItems)
    .innerJoin(invoices, own)
    .where(and(eq(lineItems.customerId, owner.customerId), eq(lineItems.invoiceId, value('id'))))
    .orderBy(lineItems.position)
})

/** The lines of one invoice in their order; none where there is no such invoice. */
export function readLines(tx: Transaction, owner: Owner, id: string): Promise<LineItemRow[]> {
  return linesOf(tx, owner, { id })
}

const plainLine = {
  position: lineItems.position,
  type: lineItems.type,
  description: lineItems.description,
  price: lineItems.price,
  qty: lineItems.qty,
  currency: lineItems.currency,
  details: lineItems.details,
}

/** What is read of a line. */
export const lineColumns = { ...plainLine, ...linePostingColumns }
