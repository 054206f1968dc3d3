import 'server-only'
import Big from 'big.js'
import { sql } from 'drizzle-orm'
import type { IssuerNames } from '#lib/billing/parties/issuers.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { addDays } from '#lib/platform/values/days.ts'
import type { ImportProblem } from '../import-error.ts'
import type { NewInvoice } from '../schemas.ts'
import { recordIssuers } from './changes.ts'

// One bill may come under two names of its issuer that no comparison of spellings matches. It would be owed twice, so
// the operator is asked.

/** Operator's answer about an issuer whose invoice resembles another issuer's. */
export type IssuerAnswer =
  /** Both are one: it is recorded as an alias. */
  | 'same'
  /** They are two issuers, and the question is not repeated. */
  | 'another'
  /** No operator is present: the invoice is left out and reported. */
  | 'unattended'

/** A new invoice, and one of another issuer that it looks like. */
type Alike = { at: number; invoice: NewInvoice; other: Other }
type Other = { issuer: string; number: string; by: 'period' | 'total' }

/**
 * Finds the new invoices that resemble one of another issuer, and applies the operator's answer.
 * @returns the invoices to leave out, and the problems where no answer was provided
 */
export async function resolveSimilar(
  tx: Transaction,
  customerId: CustomerId,
  added: readonly NewInvoice[],
  { names, answer, requestId }: { names: IssuerNames; answer: IssuerAnswer | undefined; requestId: string },
): Promise<{ left: Alike[]; problems: ImportProblem[] }> {
  const alike = await findAlike(tx, customerId, added, names)
  if (answer === 'unattended') return { left: alike, problems: [] }
  if (answer === undefined) return { left: [], problems: alike.map(alikeProblem) }
  for (const { invoice, other } of alike) {
    const [name, as] = [names.nameOf(invoice.issuer), names.nameOf(other.issuer)]
    if (names.isSame(name, as) || names.isApart(name, as)) continue
    await (answer === 'same' ? names.setSame(name, as) : names.setApart(name, as))
    await recordIssuers(tx, customerId, { name, issuer: as, isSame: answer === 'same' }, requestId)
  }
  return { left: [], problems: [] }
}

/**
 * Finds the new invoices that resemble one of another issuer, stored or earlier in the batch: of the same account and
 * period, or with the same number, total and currency. Issuers that an operator declared to be two are ignored.
 */
async function findAlike(
  tx: Transaction,
  customerId: CustomerId,
  added: readonly NewInvoice[],
  names: IssuerNames,
): Promise<Alike[]> {
  if (added.length === 0 || !names.areSeveral()) return []
  const rows = added.flatMap((invoice, at) => {
    const { issuer, number, periodStart, periodEnd, currency, totalAmount, billingAccount } = invoice
    const accounts = invoice.accounts ?? [billingAccount]
    return accounts.map((account) => ({
      at,
      issuer,
      number,
      account,
      periodStart,
      periodEnd,
      currency,
      totalAmount,
    }))
  })
  const stored = [
    ...(await readOfPeriod(tx, customerId, rows)),
    ...(await readOfNumber(tx, customerId, rows)),
  ]
  const storedByIndex = Map.groupBy(stored, ({ at }) => at)
  const before = batchBefore()
  return added.flatMap((invoice, at) => {
    const other = [...(storedByIndex.get(at) ?? []), ...before.find(invoice)].find(
      ({ issuer }) => !names.isSame(invoice.issuer, issuer) && !names.isApart(invoice.issuer, issuer),
    )
    if (other) return [{ at, invoice, other }]
    before.add(invoice)
    return []
  })
}

/** Returns a problem that names both invoices and the option that allows the import. */
function alikeProblem({ invoice, other }: Pick<Alike, 'invoice' | 'other'>): ImportProblem {
  const subject = `invoice ${invoice.number} of ${invoice.issuer}`
  const otherName = `invoice ${other.number} of ${other.issuer}`
  const { periodStart = '', periodEnd = '', billingAccount, accounts = [] } = invoice
  const account = billingAccount ?? accounts[0]
  const reason =
    other.by === 'period'
      ? `${otherName} is of the same account ${account} and period ${periodStart} to ${periodEnd && addDays(periodEnd, -1)}, too`
      : `${otherName} has the same number and total, too`
  return { subject, reason, allowedBy: '--same-issuer' }
}

/** Returns an index of a batch's invoices by the keys in which similar ones agree. */
function batchBefore() {
  const othersByKey = new Map<string, Other[]>()
  const keysOf = ({ number, periodStart, periodEnd, currency, totalAmount, ...invoice }: NewInvoice) => {
    const accounts = invoice.accounts ?? [invoice.billingAccount]
    const periods = accounts.flatMap((account) =>
      account === undefined || periodStart === undefined ? [] : [[account, periodStart, periodEnd]],
    )
    return [
      ...periods.map((key) => ({ by: 'period' as const, key: JSON.stringify(key) })),
      { by: 'total' as const, key: JSON.stringify([number, currency, new Big(totalAmount).toFixed(), '']) },
    ]
  }
  return {
    find: (invoice: NewInvoice): Other[] => keysOf(invoice).flatMap(({ key }) => othersByKey.get(key) ?? []),
    add(invoice: NewInvoice): void {
      const { issuer, number } = invoice
      for (const { by, key } of keysOf(invoice)) {
        const others = othersByKey.get(key) ?? []
        // One per issuer is enough.
        if (!others.some((other) => other.issuer === issuer))
          othersByKey.set(key, [...others, { issuer, number, by }])
      }
    },
  }
}

type Row = {
  at: number
  issuer: string
  number: string
  account: string | undefined
  periodStart: string | undefined
  periodEnd: string | undefined
  currency: string
  totalAmount: string
}
type Match = Other & { at: number }

/**
 * Reads one invoice per issuer, account and period: an issuer may have a million of them, so the query skips from
 * issuer to issuer.
 */
async function readOfPeriod(tx: Transaction, customerId: CustomerId, rows: readonly Row[]): Promise<Match[]> {
  const periods = Map.groupBy(
    rows.filter(({ account, periodStart }) => account !== undefined && periodStart !== undefined),
    ({ account, periodStart, periodEnd }) => JSON.stringify([account, periodStart, periodEnd]),
  )
  const requested = [...periods.keys()].map((key, place) => {
    const [account, periodStart, periodEnd] = JSON.parse(key)
    return { place, account, periodStart, periodEnd }
  })
  if (requested.length === 0) return []
  const next = (after: string) => sql`(
    SELECT issuer FROM invoices
    WHERE customer_id = ${customerId} AND billing_account = given.account AND period_start >= given."periodStart"
      AND period_start <= given."periodStart" AND issuer > ${sql.raw(after)}
    ORDER BY period_start, issuer LIMIT 1)`
  const found = await tx.execute<{ place: number; issuer: string; number: string }>(sql`
    SELECT given.place, found.* FROM json_to_recordset(${JSON.stringify(requested)}::json)
      AS given(place int, account text, "periodStart" date, "periodEnd" date)
    CROSS JOIN LATERAL (
      WITH RECURSIVE billers AS (
        SELECT ${next("''")} AS issuer
        UNION ALL SELECT ${next('billers.issuer')} FROM billers WHERE billers.issuer IS NOT NULL)
      SELECT issuer FROM billers WHERE issuer IS NOT NULL) AS biller
    CROSS JOIN LATERAL (
      SELECT issuer, number FROM invoices
      WHERE customer_id = ${customerId} AND billing_account = given.account AND period_start >= given."periodStart"
        AND period_start <= given."periodStart" AND issuer = biller.issuer AND period_end = given."periodEnd"
        AND document_state <> 'voided'
      ORDER BY period_start LIMIT 1) AS found`)
  const asking = [...periods.values()]
  return found.rows.flatMap(({ place, ...other }) =>
    (asking[place] ?? []).flatMap(({ at, issuer }) =>
      issuer === other.issuer ? [] : [{ ...other, at, by: 'period' as const }],
    ),
  )
}

/**
 * Reads the other issuers' invoices with the same number, total and currency. The first invoice with a number has the
 * number as its id.
 */
async function readOfNumber(tx: Transaction, customerId: CustomerId, rows: readonly Row[]): Promise<Match[]> {
  const { rows: found } = await tx.execute<Omit<Match, 'by'>>(sql`
    SELECT given.at, live.issuer, live.number FROM json_to_recordset(${JSON.stringify(rows)}::json)
      AS given(at int, issuer text, number text, currency text, "totalAmount" numeric)
    CROSS JOIN LATERAL (
      SELECT issuer, number FROM invoices
      WHERE customer_id = ${customerId} AND id >= given.number AND id <= given.number
      ORDER BY customer_id, id LIMIT 1) AS first
    CROSS JOIN LATERAL (
      SELECT issuer, number, total_amount, currency FROM invoices
      WHERE customer_id = ${customerId} AND issuer = first.issuer AND number >= first.number
        AND number <= first.number AND document_state <> 'voided'
      ORDER BY number LIMIT 1) AS live
    WHERE first.issuer <> given.issuer AND live.number = given.number AND live.currency = given.currency
      AND live.total_amount = given."totalAmount"`)
  return found.map((row) => ({ ...row, by: 'total' as const }))
}
