import 'server-only'
import { eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { Caller } from '#lib/access/rules.ts'
import { DAY_MS, dayOf } from '#lib/days.ts'
import { builtOnce, type Values, value } from '#lib/db/built.ts'
import type { Transaction } from '#lib/db/client.ts'
import { invoices } from '#lib/db/schema/invoices.ts'
import type { Filter } from '#lib/lists/filter.ts'
import { DOCUMENT_STATES, type DocumentState, type FilterKey } from './rules.ts'

/** Whose invoices, and which of their billing profiles: every statement here names both. */
export type Owner = Pick<Caller, 'customerId' | 'billingProfiles'>

export type Selection = {
  filter?: Filter<FilterKey> | undefined
  /** Epoch milliseconds, both inclusive, applied to the invoice date. */
  minCreationTime?: number | undefined
  maxCreationTime?: number | undefined
  search?: string | undefined
  /** Of invoices that are named: drafts and voided ones too. */
  ids?: readonly string[] | undefined
}

/** The database's day in UTC, `YYYY-MM-DD`. */
export const today = sql<string>`(now() AT TIME ZONE 'UTC')::date::text`

/** The rows of these billing profiles of this customer. */
export function owned({ customerId, billingProfiles: profiles }: Owner): SQL[] {
  return [eq(invoices.customerId, customerId), inArray(invoices.billingProfileId, [...profiles])]
}

/**
 * A statement on a caller's invoices that is written once for each number of billing profiles: see `builtOnce`.
 * @param build gets an owner whose parts stand for those of each call
 */
export function ownedOnce<Rows>(
  build: (tx: Transaction, owner: Owner) => { prepare(name: string): unknown },
): (tx: Transaction, owner: Owner, values?: Values) => Promise<Rows> {
  const known = new Map<number, ReturnType<typeof builtOnce<Rows>>>()
  return (tx, { customerId, billingProfiles }, values) => {
    const names = billingProfiles.map((_, index) => `profile${index}`)
    const any = {
      customerId: value<Owner['customerId']>('customer'),
      billingProfiles: names.map(value<string>),
    }
    const run = known.get(names.length) ?? builtOnce<Rows>((first) => build(first, any))
    known.set(names.length, run)
    const own = Object.fromEntries(names.map((name, index) => [name, billingProfiles[index]]))
    return run(tx, { ...values, ...own, customer: customerId })
  }
}

/** What the filters add: never the tenant, which `owned` names. Issued invoices only, unless the filter says otherwise. */
export function selected({ filter, minCreationTime, maxCreationTime, search, ids }: Selection): SQL[] {
  const conditions: (SQL | undefined)[] = [
    hasState(filter?.state ?? (ids ? DOCUMENT_STATES : ['issued'])),
    filter?.platform && inArray(invoices.platform, filter.platform),
    filter?.issuer && inArray(invoices.issuer, filter.issuer),
    filter?.billingProfile && inArray(invoices.billingProfileId, filter.billingProfile),
    filter?.currency && inArray(invoices.currency, filter.currency),
    filter?.status && (or(...filter.status.map(hasStatus)) ?? sql`false`),
    filter?.dueDate &&
      inArray(
        invoices.dueDate,
        filter.dueDate.map((time) => dayOf(Number(time))),
      ),
    minCreationTime === undefined
      ? undefined
      : sql`${invoices.invoiceDate} >= ${dayAtOrAfter(minCreationTime)}`,
    maxCreationTime === undefined ? undefined : sql`${invoices.invoiceDate} <= ${dayOf(maxCreationTime)}`,
    ids && sql`${invoices.id} = ANY(${sql.param(ids)}::text[])`,
    search
      ? sql`(starts_with(lower(${invoices.number}), lower(${search})) OR starts_with(lower(${invoices.id}), lower(${search})))`
      : undefined,
  ]
  return conditions.filter((condition) => condition !== undefined)
}

// Constants in the text, not parameters: so the planner sees that the short index of what is not issued will do.
const STATES: Record<DocumentState, SQL> = {
  draft: sql`${invoices.documentState} = 'draft'`,
  issued: sql`${invoices.documentState} = 'issued'`,
  voided: sql`${invoices.documentState} = 'voided'`,
}
/** What a sum, a comparison or a mail is of, whatever was asked for. */
export const issued = STATES.issued

/** All three of them are no condition. */
function hasState(states: readonly string[]): SQL | undefined {
  const wanted = DOCUMENT_STATES.filter((state) => states.includes(state))
  if (wanted.length === DOCUMENT_STATES.length) return undefined
  return or(...wanted.map((state) => STATES[state])) ?? sql`false`
}

/** The rule of `statusOfIssued`, in SQL. Whatever has a balance is issued: a check of the table holds that. */
function hasStatus(status: string): SQL {
  const { balanceAmount, dueDate } = invoices
  if (status === 'PAID') return sql`(${balanceAmount} <= 0 AND ${issued})`
  if (status === 'PAST DUE') return sql`(${balanceAmount} > 0 AND ${dueDate} < ${today}::date)`
  if (status === 'OPEN') return sql`(${balanceAmount} > 0 AND ${dueDate} >= ${today}::date)`
  return sql`false`
}

/** The first day whose midnight is not before this time: an invoice stands at its day's midnight. */
function dayAtOrAfter(epochMs: number): string {
  return dayOf(Math.ceil(epochMs / DAY_MS) * DAY_MS)
}
