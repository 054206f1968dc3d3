import 'server-only'
import Big from 'big.js'
import { sql } from 'drizzle-orm'
import { findKey, wireId } from '#lib/billing/invoices/wire-ids.ts'
import { type IssuerNames, issuerNames } from '#lib/billing/parties/issuers.ts'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { recordMerged, recordVoided } from './changes.ts'
import { overwriteInvoiceRows, readStored } from './rows.ts'
import { asVoided, keyOf, type StoredInvoice, withoutLines } from './stored.ts'

/** Two invoices that may be one bill: the one to keep, and the one that came under another name of its issuer. */
export type Duplicate = {
  keep: string
  issuer: string
  duplicate: string
  otherIssuer: string
  total: string
  otherTotal: string
  currency: string
  because: 'same number' | 'same number and total' | 'same account and period'
}

type Row = {
  id: string
  /** Id on the wire, which people use. */
  wireId: string
  number: string
  issuer: string
  total: string
  currency: string
  isNumbered: boolean
  /** Value that it shares with others: its number, or its account and period. */
  common: string
}

/** Maximum number of rows that are compared; far more than a person merges by hand. */
const MAX_ROWS = 20_000

/**
 * Lists invoices that may be owed twice: of one issuer in two spellings, with the same number or of the same account
 * and period; and of two issuers not declared to be two, with the same number and total or of the same account and
 * period.
 */
export async function listDuplicates(tx: Transaction, customerId: CustomerId): Promise<Duplicate[]> {
  const names = await issuerNames(tx, customerId)
  const duplicates = new Map<string, Duplicate>()
  const add = (groups: readonly Row[][], becauseOf: (pair: Pair) => Duplicate['because'] | undefined) => {
    for (const pair of groups.flatMap((rows) => pairsOf(rows, names))) {
      const because = becauseOf(pair)
      const key = JSON.stringify([pair.one.id, pair.other.id].sort())
      if (because && !duplicates.has(key)) duplicates.set(key, duplicateOf(pair, because))
    }
  }
  add(await readCommon(tx, customerId, 'number'), ({ one, other, isSame }) => {
    if (isSame) return 'same number'
    const isEqual = one.currency === other.currency && new Big(one.total).eq(other.total)
    return isEqual ? 'same number and total' : undefined
  })
  const period = 'nullif(concat_ws(chr(10), billing_account, period_start, period_end), billing_account)'
  add(await readCommon(tx, customerId, period), ({ one, other, isSame }) =>
    // An issuer has several numbered invoices of a period, but only one sum of unnumbered charges.
    isSame && one.isNumbered && other.isNumbered ? undefined : 'same account and period',
  )
  return [...duplicates.values()]
}

type Pair = { one: Row; other: Row; isSame: boolean }

/**
 * Returns pairs of two names: all pairs within one issuer, the first per issuer of two issuers, unless declared to be
 * two.
 */
function pairsOf(rows: readonly Row[], names: IssuerNames): Pair[] {
  const asked = new Set<string>()
  return rows.flatMap((one, at) =>
    rows.slice(at + 1).flatMap((other): Pair[] => {
      if (one.issuer === other.issuer) return []
      const isSame = names.isSame(one.issuer, other.issuer)
      if (isSame) return [{ one, other, isSame }]
      const key = JSON.stringify([names.nameOf(one.issuer), names.nameOf(other.issuer)].sort())
      if (asked.has(key) || names.isApart(one.issuer, other.issuer)) return []
      asked.add(key)
      return [{ one, other, isSame }]
    }),
  )
}

function duplicateOf({ one, other }: Pair, because: Duplicate['because']): Duplicate {
  return {
    keep: one.wireId,
    issuer: one.issuer,
    duplicate: other.wireId,
    otherIssuer: other.issuer,
    total: one.total,
    otherTotal: other.total,
    currency: one.currency === other.currency ? one.currency : `${one.currency}, ${other.currency}`,
    because,
  }
}

/**
 * Reads invoices, except voided ones, that share a value with an invoice under another name of an issuer: the issuer's
 * number before ours, issued before drafts, earlier arrivals first.
 * @param common SQL of the shared value
 */
async function readCommon(tx: Transaction, customerId: CustomerId, common: string): Promise<Row[][]> {
  const { rows } = await tx.execute<Row & { common: string }>(sql`
    WITH live AS (
      SELECT id, number, issuer, total_amount::text AS total, currency, is_numbered AS "isNumbered", document_state,
        created_at, ${wireId} AS "wireId", ${sql.raw(common)} AS common
      FROM invoices WHERE customer_id = ${customerId} AND document_state <> 'voided')
    SELECT id, "wireId", issuer, total, currency, "isNumbered", common FROM live
    WHERE common IN (SELECT common FROM live GROUP BY common HAVING min(issuer) <> max(issuer))
    ORDER BY common, "isNumbered" DESC, document_state DESC, created_at, id LIMIT ${MAX_ROWS}`)
  return [...Map.groupBy(rows, ({ common }) => common).values()]
}

/**
 * Merges two invoices: the duplicate is voided in favor of the other one, which takes over the payments, the issuer's
 * documents, and the charges that it lacks. Their issuers become one. The caller holds the lock of the customer's
 * imports.
 * @param balance the remaining balance, as decimal text; required where both have payments
 * @throws Problem where an invoice does not exist or can't be merged
 */
export async function mergeInvoices(
  tx: Transaction,
  customerId: CustomerId,
  {
    keep: targetId,
    duplicate: duplicateId,
    balance,
  }: { keep: string; duplicate: string; balance?: string | undefined },
  requestId: string,
): Promise<{ balance: string; currency: string }> {
  const [target, duplicate] = await readBoth(tx, customerId, [targetId, duplicateId])
  if (target.id === duplicate.id) throw invalidRequest('Give two invoices.')
  const paid = (invoice: StoredInvoice) => new Big(invoice.totalAmount).minus(invoice.balanceAmount)
  if (target.currency !== duplicate.currency)
    throw invalidRequest(`They are in ${target.currency} and ${duplicate.currency}.`)
  if (target.documentState === 'draft' && duplicate.documentState === 'issued')
    throw invalidRequest(`Keep ${duplicateId}: it is issued, and ${targetId} is a draft.`)
  const isDraft = target.documentState === 'draft'
  const hasBoth =
    !isDraft && duplicate.documentState === 'issued' && !paid(target).eq(0) && !paid(duplicate).eq(0)
  if (hasBoth && balance === undefined)
    throw invalidRequest(
      `${paid(target).toFixed()} of ${targetId} and ${paid(duplicate).toFixed()} of ${duplicateId} are settled, which may be the same payment: give what is left to pay by --balance.`,
    )
  const isPaid = duplicate.documentState === 'issued' && !isDraft
  const left = isPaid ? new Big(target.balanceAmount).minus(paid(duplicate)).toFixed() : target.balanceAmount
  const balanceAmount = isDraft ? '0' : (balance ?? left)

  const names = await issuerNames(tx, customerId)
  if (!names.isSame(target.issuer, duplicate.issuer)) await names.setSame(duplicate.issuer, target.issuer)
  await moveDocuments(tx, customerId, target, duplicate)
  await overwriteInvoiceRows(tx, customerId, [
    withoutLines(asVoided(duplicate, target.id)),
    withoutLines({ ...target, balanceAmount }),
  ])
  await recordVoided(tx, customerId, { invoice: duplicate, replacedBy: target.id }, requestId)
  await recordMerged(tx, customerId, { target, duplicate, balance: balanceAmount }, requestId)
  return { balance: balanceAmount, currency: target.currency }
}

function invalidRequest(text: string): Problem {
  return new Problem('invalid_request', text)
}

/** Both invoices, locked. */
async function readBoth(
  tx: Transaction,
  customerId: CustomerId,
  ids: readonly [string, string],
): Promise<[StoredInvoice, StoredInvoice]> {
  const billingProfiles = (await listBillingProfiles(tx, customerId)).map(({ id }) => id)
  const keys = await Promise.all(ids.map((id) => findKey(tx, { customerId, billingProfiles }, id)))
  const { rows } = await tx.execute<{ id: string; issuer: string; number: string }>(sql`
    SELECT id, issuer, number FROM invoices
    WHERE customer_id = ${customerId} AND id = ANY (${sql.param(keys.filter((key) => key !== undefined))}::text[])`)
  const stored = await readStored(tx, customerId, rows)
  const [target, duplicate] = ids.map((id, at) => {
    const row = rows.find((one) => one.id === keys[at])
    if (!row) throw new Problem('not_found', `There is no invoice "${id}".`)
    const invoice = stored.get(keyOf(row))
    if (invoice?.id !== row.id || invoice.documentState === 'voided')
      throw invalidRequest(`Invoice ${id} is voided.`)
    return invoice
  })
  return [target, duplicate] as [StoredInvoice, StoredInvoice]
}

/** Moves the documents and charges of a duplicate to the other invoice, where that one has none. */
async function moveDocuments(
  tx: Transaction,
  customerId: CustomerId,
  target: StoredInvoice,
  duplicate: StoredInvoice,
) {
  await tx.execute(sql`
    INSERT INTO invoice_files (customer_id, invoice_id, kind, name, digest, bytes, created_at)
    SELECT customer_id, ${target.id}, kind, name, digest, bytes, created_at FROM invoice_files
    WHERE customer_id = ${customerId} AND invoice_id = ${duplicate.id} AND kind <> 'drawn'
    ON CONFLICT DO NOTHING`)
  await tx.execute(sql`
    UPDATE charge_sets SET issuer = ${target.issuer}, number = ${target.number}
    WHERE customer_id = ${customerId} AND issuer = ${duplicate.issuer} AND number = ${duplicate.number}
      AND replaced_by IS NULL AND NOT EXISTS (
        SELECT FROM charge_sets o WHERE o.customer_id = ${customerId} AND o.issuer = ${target.issuer}
          AND o.number = ${target.number} AND o.replaced_by IS NULL)`)
}
