import 'server-only'
import Big from 'big.js'
import { sql } from 'drizzle-orm'
import type { IssuerNames } from '#lib/billing/parties/issuer-names.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { addDays } from '#lib/platform/values/days.ts'
import type { ImportProblem } from '../import-error.ts'
import type { NewInvoice } from '../schemas.ts'
import { recordIssuers } from './changes.ts'

// One bill may come under two names of its issuer, which no spelling tells. It is owed twice then, so that somebody is asked.

/** What an operator says of an issuer whose invoice looks like that of another one. */
export type IssuerAnswer =
  /** Both are one: it is recorded as an alias. */
  | 'same'
  /** They are two, and nobody is asked again. */
  | 'another'
  /** Nobody is there to be asked: the invoice is left out, and reported. */
  | 'unattended'

/** A new invoice, and one of another issuer that it looks like. */
type Alike = { at: number; invoice: NewInvoice; other: Other }
type Other = { issuer: string; number: string; by: 'period' | 'total' }

/**
 * Finds which of these new invoices look like one of another issuer, and does what the operator says of them.
 * @returns those that are to be left out, and what stands in the way where nothing was said
 */
export async function settleAlike(
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
 * Finds which of these new invoices look like one of another issuer, in the same batch before it or stored: of the same
 * account and period, or with the same number, total and currency. Issuers that an operator told apart are left out.
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
  const found = Map.groupBy(stored, ({ at }) => at)
  const before = batchBefore()
  return added.flatMap((invoice, at) => {
    const other = [...(found.get(at) ?? []), ...before.find(invoice)].find(
      ({ issuer }) => !names.isSame(invoice.issuer, issuer) && !names.isApart(invoice.issuer, issuer),
    )
    if (other) return [{ at, invoice, other }]
    before.add(invoice)
    return []
  })
}

/** Names both invoices, and what may be said. */
function alikeProblem({ invoice, other }: Pick<Alike, 'invoice' | 'other'>): ImportProblem {
  const subject = `invoice ${invoice.number} of ${invoice.issuer}`
  const of = `invoice ${other.number} of ${other.issuer}`
  const { periodStart = '', periodEnd = '', billingAccount, accounts = [] } = invoice
  const account = billingAccount ?? accounts[0]
  const reason =
    other.by === 'period'
      ? `${of} is of the same account ${account} and period ${periodStart} to ${periodEnd && addDays(periodEnd, -1)}, too`
      : `${of} has the same number and total, too`
  return { subject, reason, allowedBy: '--same-issuer' }
}

/** Remembers the invoices of a batch by what others may be alike in. */
function batchBefore() {
  const known = new Map<string, Other[]>()
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
    find: (invoice: NewInvoice): Other[] => keysOf(invoice).flatMap(({ key }) => known.get(key) ?? []),
    add(invoice: NewInvoice): void {
      const { issuer, number } = invoice
      for (const { by, key } of keysOf(invoice)) {
        const others = known.get(key) ?? []
        // One of each issuer tells enough.
        if (!others.some((other) => other.issuer === issuer))
          known.set(key, [...others, { issuer, number, by }])
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
type Found = Other & { at: number }

/** One invoice of each issuer for each account and period. There may be a million of one, so that it is met once. */
async function readOfPeriod(tx: Transaction, customerId: CustomerId, rows: readonly Row[]): Promise<Found[]> {
  const periods = Map.groupBy(
    rows.filter(({ account, periodStart }) => account !== undefined && periodStart !== undefined),
    ({ account, periodStart, periodEnd }) => JSON.stringify([account, periodStart, periodEnd]),
  )
  const asked = [...periods.keys()].map((key, place) => {
    const [account, periodStart, periodEnd] = JSON.parse(key)
    return { place, account, periodStart, periodEnd }
  })
  if (asked.length === 0) return []
  const next = (after: string) => sql`(
    SELECT issuer FROM invoices
    WHERE customer_id = ${customerId} AND billing_account = given.account AND period_start >= given."periodStart"
      AND period_start <= given."periodStart" AND issuer > ${sql.raw(after)}
    ORDER BY period_start, issuer LIMIT 1)`
  const found = await tx.execute<{ place: number; issuer: string; number: string }>(sql`
    SELECT given.place, found.* FROM json_to_recordset(${JSON.stringify(asked)}::json)
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

/** What other issuers sent with the same number, total and currency. The first of a number has it as its id. */
async function readOfNumber(tx: Transaction, customerId: CustomerId, rows: readonly Row[]): Promise<Found[]> {
  const { rows: found } = await tx.execute<Omit<Found, 'by'>>(sql`
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
