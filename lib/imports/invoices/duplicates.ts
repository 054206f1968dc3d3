import 'server-only'
import Big from 'big.js'
import { sql } from 'drizzle-orm'
import { findKey, wireId } from '#lib/billing/invoices/wire-ids.ts'
import { type IssuerNames, issuerNames } from '#lib/billing/parties/issuer-names.ts'
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
  /** Its id on the wire, by which people name it. */
  wireId: string
  number: string
  issuer: string
  total: string
  currency: string
  isNumbered: boolean
  /** What it has in common with others: its number, or its account and period. */
  common: string
}

/** How many rows are looked at; far more than anybody merges by hand. */
const MAX_ROWS = 20_000

/**
 * Lists what may be owed twice: invoices of one issuer in two spellings, with the same number or of the same account and
 * period; and of two issuers that nobody told apart, with the same number and total or of the same account and period.
 */
export async function listDuplicates(tx: Transaction, customerId: CustomerId): Promise<Duplicate[]> {
  const names = await issuerNames(tx, customerId)
  const found = new Map<string, Duplicate>()
  const add = (groups: readonly Row[][], becauseOf: (pair: Pair) => Duplicate['because'] | undefined) => {
    for (const pair of groups.flatMap((rows) => pairsOf(rows, names))) {
      const because = becauseOf(pair)
      const key = JSON.stringify([pair.one.id, pair.other.id].sort())
      if (because && !found.has(key)) found.set(key, duplicateOf(pair, because))
    }
  }
  add(await readCommon(tx, customerId, 'number'), ({ one, other, isSame }) => {
    if (isSame) return 'same number'
    const isEqual = one.currency === other.currency && new Big(one.total).eq(other.total)
    return isEqual ? 'same number and total' : undefined
  })
  const period = 'nullif(concat_ws(chr(10), billing_account, period_start, period_end), billing_account)'
  add(await readCommon(tx, customerId, period), ({ one, other, isSame }) =>
    // One issuer has several numbered invoices of a period, but one sum of what has no number.
    isSame && one.isNumbered && other.isNumbered ? undefined : 'same account and period',
  )
  return [...found.values()]
}

type Pair = { one: Row; other: Row; isSame: boolean }

/** Pairs of two names: of one issuer all, of two issuers the first of each, unless they were told apart. */
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
 * Reads what is not voided and has something in common with an invoice under another name of an issuer: the issuer's
 * number before ours, what is issued before drafts, the first to arrive before others.
 * @param common SQL of what is in common
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
 * Makes one invoice of two: the duplicate is voided for the other one, which takes over what was paid of it, the
 * issuer's own documents, and the charges that it lacks. Their issuers are one from then on. The caller holds the lock of
 * the customer's imports.
 * @param balance what is left to pay, as decimal text; needed where something was paid of both
 * @throws Problem where one of them is not there or not to be merged
 */
export async function mergeInvoices(
  tx: Transaction,
  customerId: CustomerId,
  {
    keep: keepId,
    duplicate: duplicateId,
    balance,
  }: { keep: string; duplicate: string; balance?: string | undefined },
  requestId: string,
): Promise<{ balance: string; currency: string }> {
  const [keep, duplicate] = await readBoth(tx, customerId, [keepId, duplicateId])
  if (keep.id === duplicate.id) throw refused('Give two invoices.')
  const paid = (of: StoredInvoice) => new Big(of.totalAmount).minus(of.balanceAmount)
  if (keep.currency !== duplicate.currency)
    throw refused(`They are in ${keep.currency} and ${duplicate.currency}.`)
  if (keep.documentState === 'draft' && duplicate.documentState === 'issued')
    throw refused(`Keep ${duplicateId}: it is issued, and ${keepId} is a draft.`)
  const isDraft = keep.documentState === 'draft'
  const hasBoth =
    !isDraft && duplicate.documentState === 'issued' && !paid(keep).eq(0) && !paid(duplicate).eq(0)
  if (hasBoth && balance === undefined)
    throw refused(
      `${paid(keep).toFixed()} of ${keepId} and ${paid(duplicate).toFixed()} of ${duplicateId} are settled, which may be the same payment: give what is left to pay by --balance.`,
    )
  const isPaid = duplicate.documentState === 'issued' && !isDraft
  const left = isPaid ? new Big(keep.balanceAmount).minus(paid(duplicate)).toFixed() : keep.balanceAmount
  const balanceAmount = isDraft ? '0' : (balance ?? left)

  const names = await issuerNames(tx, customerId)
  if (!names.isSame(keep.issuer, duplicate.issuer)) await names.setSame(duplicate.issuer, keep.issuer)
  await moveDocuments(tx, customerId, keep, duplicate)
  await overwriteInvoiceRows(tx, customerId, [
    withoutLines(asVoided(duplicate, keep.id)),
    withoutLines({ ...keep, balanceAmount }),
  ])
  await recordVoided(tx, customerId, { id: duplicate.id, replacedBy: keep.id }, requestId)
  await recordMerged(tx, customerId, { keep, duplicate, balance: balanceAmount }, requestId)
  return { balance: balanceAmount, currency: keep.currency }
}

function refused(text: string): Problem {
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
  const [keep, duplicate] = ids.map((id, at) => {
    const row = rows.find((one) => one.id === keys[at])
    if (!row) throw new Problem('not_found', `There is no invoice "${id}".`)
    const found = stored.get(keyOf(row))
    if (found?.id !== row.id || found.documentState === 'voided') throw refused(`Invoice ${id} is voided.`)
    return found
  })
  return [keep, duplicate] as [StoredInvoice, StoredInvoice]
}

/** Gives what a duplicate has of documents and charges to the other one, where that has none. */
async function moveDocuments(
  tx: Transaction,
  customerId: CustomerId,
  keep: StoredInvoice,
  duplicate: StoredInvoice,
) {
  await tx.execute(sql`
    INSERT INTO invoice_files (customer_id, invoice_id, kind, name, digest, bytes, created_at)
    SELECT customer_id, ${keep.id}, kind, name, digest, bytes, created_at FROM invoice_files
    WHERE customer_id = ${customerId} AND invoice_id = ${duplicate.id} AND kind <> 'drawn'
    ON CONFLICT DO NOTHING`)
  await tx.execute(sql`
    UPDATE charge_sets SET issuer = ${keep.issuer}, number = ${keep.number}
    WHERE customer_id = ${customerId} AND issuer = ${duplicate.issuer} AND number = ${duplicate.number}
      AND replaced_by IS NULL AND NOT EXISTS (
        SELECT FROM charge_sets o WHERE o.customer_id = ${customerId} AND o.issuer = ${keep.issuer}
          AND o.number = ${keep.number} AND o.replaced_by IS NULL)`)
}
