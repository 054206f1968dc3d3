import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import { type Owner, preparedForOwner, visibleTo } from '#lib/billing/invoices/selection.ts'
import { type Party, partyOf } from '#lib/billing/parties/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { value } from '#lib/platform/db/prepared-queries.ts'
import { invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { issuers, parties } from '#lib/platform/db/schema/invoices/parties.ts'

/** Seller of an invoice, as stored when the invoice arrived, and the present template of its payment addresses. */
export type Payee = { seller: Party; paymentUrl: string | null }

type PayeeRow = { content: Record<string, string>; paymentUrl: string | null }

const isSeller = and(eq(parties.customerId, invoices.customerId), eq(parties.id, invoices.sellerId))
const isIssuer = and(eq(issuers.customerId, invoices.customerId), eq(issuers.name, invoices.issuer))

const payeeQuery = preparedForOwner<PayeeRow[]>((tx, owner) =>
  tx
    .select({ content: parties.content, paymentUrl: issuers.paymentUrl })
    .from(invoices)
    .innerJoin(parties, isSeller)
    .leftJoin(issuers, isIssuer)
    .where(and(...visibleTo(owner), eq(invoices.id, value('id')))),
)

/** Reads the payee of one invoice. */
export async function readPayee(tx: Transaction, owner: Owner, id: string): Promise<Payee | undefined> {
  const [row] = await payeeQuery(tx, owner, { id })
  return row && { seller: partyOf(row.content), paymentUrl: row.paymentUrl }
}

/** Returns the sellers of these invoices by the invoice's key. */
export async function listSellers(
  tx: Transaction,
  owner: Owner,
  ids: readonly string[],
): Promise<Map<string, Party>> {
  if (ids.length === 0) return new Map()
  const rows = await tx
    .select({ id: invoices.id, content: parties.content })
    .from(invoices)
    .innerJoin(parties, isSeller)
    .where(and(...visibleTo(owner), sql`${invoices.id} = ANY(${sql.param([...ids])}::text[])`))
  return new Map(rows.map(({ id, content }) => [id, partyOf(content)]))
}
