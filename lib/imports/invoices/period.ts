import 'server-only'
import Big from 'big.js'
import { sql } from 'drizzle-orm'
import type { IssuerNames } from '#lib/billing/parties/issuers.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { ImportProblem } from '../import-error.ts'
import { readStored } from './rows.ts'
import type { Seen } from './seen.ts'
import { keyOf, type StoredInvoice } from './stored.ts'

// A period of an account may be billed twice: by an invoice made of its charges before the issuer numbered it, and by
// the issuer's own invoice. Invoices in one file are separate bills; invoices in different files replace each other.

/** Issued invoice of the same issuer, account, period and currency, where exactly one of the two has a number. */
export type Twin = {
  stored: Pick<StoredInvoice, 'id' | 'issuer' | 'number' | 'isNumbered'> & { paid: string; total: string }
  incoming: StoredInvoice
}

type Draft = Pick<StoredInvoice, 'id' | 'issuer' | 'number' | 'isNumbered' | 'currency' | 'totalAmount'> & {
  period: string
}

const MAX_TWINS = 20

/** Reads the issued invoices of the same periods that are numbered where these are not, and the reverse. */
export async function readTwins(
  tx: Transaction,
  customerId: CustomerId,
  issued: readonly StoredInvoice[],
  names: IssuerNames,
): Promise<Twin[]> {
  const candidates = issued.filter((one) => periodOf(one, names) !== undefined)
  if (candidates.length === 0) return []
  const rows = candidates.flatMap(({ lines: _, ...row }, at) =>
    names.spellingsOf(row.issuer).map((issuer) => ({ ...row, at, issuer })),
  )
  const found = await tx.execute<Twin['stored'] & { at: number }>(sql`
    SELECT given.at, found.id, found.issuer, found.number, found.is_numbered AS "isNumbered",
      found.paid::text AS paid, found.total_amount::text AS total
    FROM json_to_recordset(${JSON.stringify(rows)}::json)
      AS given(at int, issuer text, "billingAccount" text, "periodStart" date, "periodEnd" date, currency text,
        "isNumbered" boolean)
    CROSS JOIN LATERAL (
      SELECT id, issuer, number, is_numbered, period_start, total_amount, total_amount - balance_amount AS paid
      FROM invoices
      WHERE customer_id = ${customerId} AND issuer = given.issuer AND billing_account = given."billingAccount"
        AND period_start >= given."periodStart" AND period_start <= given."periodStart"
        AND is_numbered = NOT given."isNumbered" AND period_end = given."periodEnd"
        AND currency = given.currency AND document_state = 'issued'
      ORDER BY period_start, is_numbered LIMIT ${MAX_TWINS}) AS found`)
  return found.rows.flatMap(({ at, ...stored }) =>
    candidates[at] ? [{ stored, incoming: candidates[at] }] : [],
  )
}

/**
 * Why a numbered invoice can't come in the place of the sum of its period that we issued; undefined where it can. One with
 * the same total is its bill, and needs no `correct`.
 */
export function twinProblem({ stored, incoming }: Twin, correct: boolean): ImportProblem | undefined {
  const { issuer, billingAccount, periodStart, number } = incoming
  const subject = `invoice ${stored.number}`
  const period = `${billingAccount} of ${issuer} is billed for the period from ${periodStart}`
  if (!correct && !new Big(stored.total).eq(incoming.totalAmount))
    return {
      subject,
      reason: `${period} by this summary, and the file has invoice ${number} instead`,
      allowedBy: '--correct',
    }
  if (/[1-9]/.test(stored.paid) && incoming.balanceAmount === incoming.totalAmount)
    return {
      subject,
      reason: `${stored.paid} of it is settled already: give the balance of invoice ${number}, too`,
    }
  return undefined
}

/** Returns the stored invoices to replace, each with its replacement; of several replacements, the first. */
export async function readReplaced(
  tx: Transaction,
  customerId: CustomerId,
  pairs: readonly { stored: Pick<StoredInvoice, 'issuer' | 'number'>; incoming: StoredInvoice }[],
): Promise<{ stored: StoredInvoice; by: StoredInvoice }[]> {
  const by = new Map(pairs.toReversed().map(({ stored, incoming }) => [keyOf(stored), incoming]))
  const storedInvoices = await readStored(
    tx,
    customerId,
    pairs.map(({ stored }) => stored),
  )
  return [...storedInvoices].flatMap(([key, stored]) => {
    const incoming = by.get(key)
    return incoming ? [{ stored, by: incoming }] : []
  })
}

/** The drafts that an issued invoice of their issuer, account and period supersedes. */
export async function draftsOf(
  tx: Transaction,
  customerId: CustomerId,
  { names, today }: { names: IssuerNames; today: string },
) {
  const { rows } = await tx.execute<Parameters<typeof periodOf>[0] & Omit<Draft, 'period'>>(sql`
    SELECT id, issuer, number, is_numbered AS "isNumbered", currency, total_amount::text AS "totalAmount",
      billing_account AS "billingAccount", period_start::text AS "periodStart",
      period_end::text AS "periodEnd"
    FROM invoices WHERE customer_id = ${customerId} AND document_state = 'draft'`)
  const drafts = rows.flatMap((row): Draft[] => {
    const period = periodOf(row, names)
    return period === undefined ? [] : [{ ...row, period }]
  })
  const draftsByPeriod = Map.groupBy(drafts, ({ period }) => period)
  const superseded = new Map<string, { draft: Draft; by: StoredInvoice }>()
  return {
    /**
     * Registers an issued invoice of the file.
     * @param isNew whether this import issues it. One that was stored before, or arrives while the period still runs,
     * bills only charges with the same total: other invoices are separate bills, such as an upfront fee
     */
    see(issued: StoredInvoice, isNew: boolean): void {
      const period = draftsByPeriod.size > 0 && periodOf(issued, names)
      for (const draft of (period && draftsByPeriod.get(period)) || []) {
        const isBill = isNew && issued.periodEnd !== null && issued.periodEnd <= today
        if (!isBill && !draft.isNumbered && !new Big(draft.totalAmount).eq(issued.totalAmount)) continue
        const isNearer =
          issued.currency === draft.currency && superseded.get(draft.id)?.by.currency !== draft.currency
        if (!superseded.has(draft.id) || isNearer) superseded.set(draft.id, { draft, by: issued })
      }
    },
    /** Returns the superseded drafts that the file itself doesn't contain. @param seen the file's invoices */
    superseded: (seen: Pick<Seen, 'has'>) =>
      [...superseded.values()].filter(({ draft, by }) => draft.id !== by.id && !seen.has(draft)),
  }
}

function periodOf(
  invoice: Pick<StoredInvoice, 'issuer' | 'billingAccount' | 'periodStart' | 'periodEnd'>,
  names: IssuerNames,
) {
  const { billingAccount, periodStart, periodEnd } = invoice
  const issuer = names.nameOf(invoice.issuer)
  if (billingAccount === null || periodStart === null || periodEnd === null) return undefined
  return [issuer, billingAccount, periodStart, periodEnd].join('\u0000')
}

// One invoice may have charges of several accounts. It is stored without account then, and bills each of them.

/** An invoice once for each account that it bills. */
export function ofEachAccount(invoice: StoredInvoice, accounts: readonly string[] = []): StoredInvoice[] {
  if (accounts.length === 0) return [invoice]
  return accounts.map((billingAccount) => ({ ...invoice, billingAccount }))
}

/**
 * Finds stored invoices of several accounts. Their accounts are not stored: any account of the issuer may be one of
 * them.
 */
export function billsOfSeveral(tx: Transaction, customerId: CustomerId, names: IssuerNames) {
  let billsByPeriod: Promise<Map<string, Twin['stored']>> | undefined
  return {
    /** The numbered summaries of several accounts that are of the periods of these issued ones without a number. */
    async twinsOf(issued: readonly StoredInvoice[]): Promise<Twin[]> {
      const candidates = issued.filter(
        ({ isNumbered, billingAccount, periodStart }) => !isNumbered && billingAccount && periodStart,
      )
      if (candidates.length === 0) return []
      // Once for an import: it looks at all invoices of the customer.
      billsByPeriod ??= readSeveral(tx, customerId, names)
      const bills = await billsByPeriod
      return candidates.flatMap((incoming) => {
        const stored = bills.get(periodOfSeveral(incoming, names))
        return stored ? [{ stored, incoming }] : []
      })
    },
  }
}

async function readSeveral(
  tx: Transaction,
  customerId: CustomerId,
  names: IssuerNames,
): Promise<Map<string, Twin['stored']>> {
  type Row = Twin['stored'] & Parameters<typeof periodOfSeveral>[0]
  const { rows } = await tx.execute<Row>(sql`
    SELECT DISTINCT ON (issuer, period_start, period_end, currency) id, issuer, number, is_numbered AS "isNumbered",
      (total_amount - balance_amount)::text AS paid, total_amount::text AS total, period_start::text AS "periodStart",
      period_end::text AS "periodEnd", currency
    FROM invoices
    WHERE customer_id = ${customerId} AND billing_account IS NULL AND period_start IS NOT NULL
      AND is_numbered AND form = 'summary' AND document_state = 'issued'
    ORDER BY issuer, period_start, period_end, currency, id`)
  return new Map(rows.map((row) => [periodOfSeveral(row, names), row]))
}

function periodOfSeveral(
  invoice: Pick<StoredInvoice, 'issuer' | 'periodStart' | 'periodEnd' | 'currency'>,
  names: IssuerNames,
): string {
  return JSON.stringify([
    names.nameOf(invoice.issuer),
    invoice.periodStart,
    invoice.periodEnd,
    invoice.currency,
  ])
}
