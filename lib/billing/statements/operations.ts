import 'server-only'
import Big from 'big.js'
import { z } from 'zod'
import { isCreditNote, payableAmountOf, statusOf } from '#lib/billing/invoices/rules.ts'
import type { Owner } from '#lib/billing/invoices/selection.ts'
import { serializeInvoice } from '#lib/billing/invoices/serialize.ts'
import { Day, Id } from '#lib/billing/invoices/sort.ts'
import type { CreditTransfer } from '#lib/billing/payment-instructions/schemas.ts'
import { serializeCreditTransfers } from '#lib/billing/payment-instructions/serialize.ts'
import { listSellers } from '#lib/billing/payment-instructions/store.ts'
import { sumCredits } from '#lib/billing/payments/read.ts'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readToday } from '#lib/platform/db/schema/columns.ts'
import { readScope, streamScope } from '#lib/platform/db/scope.ts'
import { attachment, dated } from '#lib/platform/files/attachment.ts'
import { csvReply } from '#lib/platform/files/csv.ts'
import type { Column, Table } from '#lib/platform/files/table.ts'
import { xlsxReply } from '#lib/platform/files/workbook.ts'
import { allPages, type Cursor, pageOf, readPageToken } from '#lib/platform/lists/paging.ts'
import { DEFAULT_MAX_RESULTS } from '#lib/platform/lists/parameters.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { epochOfDay } from '#lib/platform/values/days.ts'
import { summed } from '#lib/platform/values/decimals.ts'
import { plainAmount } from '#lib/platform/values/money.ts'
import type { Ageing, Statement, StatementItem } from './contract.ts'
import * as contract from './contract.ts'
import { renderStatementPdf, type StatementSection } from './layout.ts'
import { AGES, type Age } from './rules.ts'
import * as store from './store.ts'
import { type AgeSum, keyOf, listOpenItems, type OpenItem, type Selection } from './store.ts'

/** Page token: the sort key of the statement. */
const Key = z.tuple([z.string().regex(/^[A-Z]{3}$/), Id, Day, Id])

export const readStatement = operation(contract.readStatement, async (caller, { query }) => {
  const { pageToken, maxResults = DEFAULT_MAX_RESULTS, ...selection } = query
  const filters = [caller.customerId, 'statement', selection] as const
  const cursor = pageToken ? readPageToken(pageToken, filters, Key) : undefined
  const { filter } = selection
  const isWhole = !filter?.billingProfile && !filter?.platform
  const { today, sums, profiles, page, creditTransfers, credits } = await readScope(
    caller,
    async (tx) => {
      const [today, sums, profiles, rows, credits] = await Promise.all([
        readToday(tx),
        store.sumOpenItems(tx, caller, selection),
        listBillingProfiles(tx, caller.customerId),
        store.listOpenItems(tx, caller, selection, { limit: maxResults + 1, cursor }),
        isWhole ? sumCredits(tx, caller, filter?.currency) : [],
      ])
      const page = pageOf(rows, { size: maxResults, cursor, keyOf: store.keyOf, list: filters })
      return {
        today,
        sums,
        profiles,
        page,
        credits,
        creditTransfers: await creditTransfersOf(tx, caller, page.rows, sums),
      }
    },
    { mayBeOld: true },
  )
  const names = new Map(profiles.map(({ id, name }) => [id, name]))
  const { rows: pageRows, ...links } = page
  const { baseUrl } = env()
  const items = pageRows.map((row) => serializeItem(row, baseUrl))
  const credit =
    credits.length > 0
      ? { credits: credits.map(({ currency, amount }) => ({ currency, ...summed('amount', amount) })) }
      : {}
  return {
    body: {
      ...serializeSums(today, sums, names),
      ...credit,
      items,
      creditTransfers,
      ...links,
      rowCount: items.length,
    },
  }
})

/** Returns the credit transfers of the billing profiles whose items in EUR are all on the page. */
async function creditTransfersOf(
  tx: Transaction,
  caller: Owner,
  rows: readonly OpenItem[],
  sums: readonly AgeSum[],
): Promise<CreditTransfer[]> {
  const euros = Map.groupBy(
    rows.filter(({ currency }) => currency === 'EUR'),
    ({ billingProfileId }) => billingProfileId,
  )
  const countOf = (id: string) =>
    sums.reduce(
      (all, sum) => (sum.currency === 'EUR' && sum.billingProfileId === id ? all + sum.count : all),
      0,
    )
  const whole = [...euros].filter(([id, its]) => its.length === countOf(id)).flatMap(([, its]) => its)
  const sellers = await listSellers(
    tx,
    caller,
    whole.map(({ id }) => id),
  )
  return serializeCreditTransfers(whole, ({ id }) => sellers.get(id))
}

/** Rows of one statement: few enough to be held, enough to be fast. */
const MAX_ROWS = 1000

const COLUMNS: Column<Row>[] = [
  { name: 'currency', text: ({ currency }) => currency },
  { name: 'billingProfileId', text: ({ billingProfileId }) => billingProfileId },
  { name: 'billingProfileName', text: ({ profile }) => profile },
  { name: 'id', text: ({ wireId }) => wireId },
  { name: 'invoiceDate', day: ({ invoiceDate }) => invoiceDate },
  { name: 'dueDate', day: (row) => (isCreditNote(row) ? null : row.dueDate) },
  { name: 'platform', text: ({ platform }) => platform },
  { name: 'issuer', text: ({ issuer }) => issuer },
  { name: 'status', text: (row) => statusOf(payableAmountOf(row), row.dueDate, row.today) },
  // Not as people write it: a spreadsheet takes `1-30` for a day.
  { name: 'age', text: ({ age }) => age },
  { name: 'daysPastDue', number: ({ daysPastDue }) => daysPastDue },
  { name: 'totalAmount', amount: (row) => plainAmount(row.totalAmount, row.currency) },
  { name: 'balanceAmount', amount: (row) => plainAmount(row.balanceAmount, row.currency) },
  { name: 'number', text: ({ number }) => number },
  // Payable amount: the balance is exact, and a credit note may be set off against it.
  { name: 'payableAmount', amount: (row) => plainAmount(payableAmountOf(row), row.currency) },
]

export const exportStatement = operation(contract.exportStatement, async (caller, { query }) => {
  const { separator, decimal, ...selection } = query
  return csvReply(dated('statement'), statementTable(caller, selection), { separator, decimal })
})

export const exportStatementXlsx = operation(contract.exportStatementXlsx, async (caller, { query }) =>
  xlsxReply(dated('statement'), 'Statement', statementTable(caller, query)),
)

/** Open items of a printed statement. */
const MAX_PRINTED_ROWS = 2000

export const exportStatementPdf = operation(contract.exportStatementPdf, async (caller, { query }) => {
  const { filter } = query
  const isWhole = !filter?.billingProfile && !filter?.platform
  const [today, sums, profiles, rows, credits] = await readScope(caller, (tx) =>
    Promise.all([
      readToday(tx),
      store.sumOpenItems(tx, caller, query),
      listBillingProfiles(tx, caller.customerId),
      listOpenItems(tx, caller, query, { limit: MAX_PRINTED_ROWS + 1 }),
      isWhole ? sumCredits(tx, caller, filter?.currency) : [],
    ]),
  )
  if (rows.length > MAX_PRINTED_ROWS)
    throw new Problem(
      'invalid_request',
      `These are more than ${MAX_PRINTED_ROWS.toLocaleString('en')} open items. Narrow the filters.`,
    )
  const names = new Map(profiles.map(({ id, name }) => [id, name]))
  const nameOf = (id: string) => names.get(id) ?? id
  const body = await renderStatementPdf({
    today,
    profiles: [...new Set(rows.map(({ billingProfileId }) => nameOf(billingProfileId)))],
    sections: sectionsOf({ sums, rows, credits, nameOf }),
  })
  return { body, headers: attachment(`${dated('statement')}.pdf`, 'application/pdf') }
})

/** Returns the printed section of each currency with open items or credit. */
function sectionsOf({
  sums,
  rows,
  credits,
  nameOf,
}: {
  sums: readonly AgeSum[]
  rows: readonly OpenItem[]
  credits: readonly { currency: string; amount: string }[]
  nameOf: (id: string) => string
}): StatementSection[] {
  const currencies = new Set([...sums, ...credits].map(({ currency }) => currency))
  return [...currencies].sort().map((currency) => {
    const currencySums = sums.filter((sum) => sum.currency === currency)
    const total = (age: Age) => sumOf(currencySums.filter((sum) => sum.age === age)).toFixed()
    return {
      currency,
      ages: AGES.filter((age) => currencySums.some((sum) => sum.age === age)).map((age) => ({
        age,
        amount: total(age),
      })),
      balance: sumOf(currencySums).toFixed(),
      items: rows
        .filter((row) => row.currency === currency)
        .map((row) => ({
          dueDate: isCreditNote(row) ? null : row.dueDate,
          number: row.number,
          issuer: row.issuer,
          profile: nameOf(row.billingProfileId),
          daysPastDue: row.daysPastDue,
          total: row.totalAmount,
          balance: payableAmountOf(row),
        })),
      credit: credits.find((credit) => credit.currency === currency)?.amount,
    }
  })
}

type Row = OpenItem & { profile: string }

/** All open items of a selection at one moment, in the statement's order. */
function statementTable(caller: Caller, selection: Selection): Table<Row> {
  return { columns: COLUMNS, batches: streamScope(caller, (tx) => pages(tx, caller, selection)) }
}

async function* pages(tx: Transaction, caller: Caller, selection: Selection): AsyncGenerator<Row[]> {
  const profiles = await listBillingProfiles(tx, caller.customerId)
  const names = new Map(profiles.map(({ id, name }) => [id, name]))
  const read = (cursor?: Cursor) => listOpenItems(tx, caller, selection, { limit: MAX_ROWS, cursor })
  for await (const rows of allPages(MAX_ROWS, read, keyOf))
    yield rows.map((row) => ({ ...row, profile: names.get(row.billingProfileId) ?? row.billingProfileId }))
}

type Sums = Pick<Statement, 'today' | 'count' | 'currencies'>

/**
 * Adds up per currency, and in it per billing profile; in the order of the sums.
 * @param names of the billing profiles, by id
 */
function serializeSums(today: string, sums: readonly AgeSum[], names: ReadonlyMap<string, string>): Sums {
  const currencies = [...Map.groupBy(sums, ({ currency }) => currency)].map(([currency, currencySums]) => ({
    currency,
    ...ageingOf(currencySums),
    billingProfiles: [...Map.groupBy(currencySums, (sum) => sum.billingProfileId)].map(([id, ones]) => ({
      id,
      name: names.get(id) ?? id,
      ...ageingOf(ones),
    })),
  }))
  const count = sums.reduce((all, one) => all + one.count, 0)
  return { today: epochOfDay(today), count, currencies }
}

function serializeItem(row: OpenItem, baseUrl: string): StatementItem {
  const { billingProfileId, age, daysPastDue } = row
  return { ...serializeInvoice(row, baseUrl), billingProfileId, age, daysPastDue }
}

/** All of one currency. */
function ageingOf(sums: readonly AgeSum[]): Ageing {
  const total = (some: readonly AgeSum[]) => ({
    count: some.reduce((all, { count }) => all + count, 0),
    ...summed('amount', sumOf(some)),
  })
  const count = sums.reduce((all, one) => all + one.count, 0)
  const parts = AGES.map((age) => [age, total(sums.filter((sum) => sum.age === age))] as const)
  return {
    count,
    ...summed('balanceAmount', sumOf(sums)),
    ...(Object.fromEntries(parts) as Pick<Ageing, (typeof AGES)[number]>),
  }
}

function sumOf(sums: readonly AgeSum[]): Big {
  return sums.reduce((all, { amount }) => all.plus(amount), new Big(0))
}
