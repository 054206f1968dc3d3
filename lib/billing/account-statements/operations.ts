import 'server-only'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import { rethrowTimeout } from '#lib/platform/api/error-mapper.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { readToday } from '#lib/platform/db/schema/columns.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { attachment, downloadName } from '#lib/platform/files/attachment.ts'
import { csvReply } from '#lib/platform/files/csv.ts'
import type { Column, Table } from '#lib/platform/files/table.ts'
import { xlsxReply } from '#lib/platform/files/workbook.ts'
import { DAY_MS, dayOf } from '#lib/platform/values/days.ts'
import { plainAmount } from '#lib/platform/values/money.ts'
import * as contract from './contract.ts'
import { type Account, accountsOf, serializeAccounts } from './serialize.ts'
import { listMovements, listOpenAtEnd, sumAccount } from './store.ts'

type Query = {
  minDate?: number | undefined
  maxDate?: number | undefined
  filter?: Partial<Record<'billingProfile' | 'currency', readonly string[]>> | undefined
}

/** Movements, and open items, of one statement. */
const MAX_ROWS = 10_000
const MAX_PRINTED_ROWS = 2000

const throwTooMuch = rethrowTimeout(
  'To add up this account takes longer than a request may. Narrow the days or filters.',
)

/** Reads an account at one moment. @throws Problem `invalid_request` for more rows than `most` */
async function readAccounts(caller: Caller, { minDate, maxDate, filter }: Query, most = MAX_ROWS) {
  const [days, sums, movements, openItems] = await readScope(caller, async (tx) => {
    const today = await readToday(tx)
    const to = maxDate === undefined ? today : dayOf(maxDate)
    const from = minDate === undefined ? `${to.slice(0, 8)}01` : dayOf(Math.ceil(minDate / DAY_MS) * DAY_MS)
    if (to > today)
      throw new Problem('invalid_request', `The last day is in the future: today is ${today} in UTC.`)
    if (from > to) throw new Problem('invalid_request', 'The first day is after the last one.')
    const selection = { from, to, filter }
    return [
      { from, to },
      await sumAccount(tx, caller, selection),
      await listMovements(tx, caller, selection, most + 1),
      await listOpenAtEnd(tx, caller, selection, most + 1),
    ] as const
  }).catch(throwTooMuch)
  if (Math.max(movements.length, openItems.length) > most)
    throw new Problem(
      'invalid_request',
      `These are more than ${most.toLocaleString('en')} movements or open items. Narrow the days or filters.`,
    )
  return { days, accounts: accountsOf(sums, movements, openItems) }
}

export const readAccount = operation(contract.readAccount, async (caller, { query }) => {
  const { days, accounts } = await readAccounts(caller, query)
  return { body: serializeAccounts(days, accounts) }
})

export const exportAccount = operation(
  contract.exportAccount,
  async (caller, { query: { separator, decimal, ...query } }) => {
    const { days, accounts } = await readAccounts(caller, query)
    return csvReply(downloadName('account', days), movementsTable(days, accounts), { separator, decimal })
  },
)

export const exportAccountXlsx = operation(contract.exportAccountXlsx, async (caller, { query }) => {
  const { days, accounts } = await readAccounts(caller, query)
  return xlsxReply(downloadName('account', days), 'Account', movementsTable(days, accounts))
})

export const exportAccountPdf = operation(contract.exportAccountPdf, async (caller, { query }) => {
  const { days, accounts } = await readAccounts(caller, query, MAX_PRINTED_ROWS)
  // Imported here, because pdfkit takes memory that most processes never need.
  const { renderAccountPdf } = await import('./layout.ts')
  const body = await renderAccountPdf({ profiles: await namesOf(caller, accounts), ...days, accounts })
  return { body, headers: attachment(`${downloadName('account', days)}.pdf`, 'application/pdf') }
})

/** Returns the names of the billing profiles that accounts contain. */
async function namesOf(caller: Caller, accounts: readonly Account[]): Promise<string[]> {
  const rows = accounts.flatMap(({ movements, openItems }) => [...movements, ...openItems])
  const ids = new Set(rows.map(({ billingProfileId }) => billingProfileId))
  const profiles = await readScope(caller, (tx) => listBillingProfiles(tx, caller.customerId))
  return profiles.filter(({ id }) => ids.has(id)).map(({ name }) => name)
}

type Row = {
  currency: string
  day: string
  kind: string
  invoiceId: string | null
  number: string | null
  billingProfileId: string | null
  reference: string | null
  amount: string | null
  balance: string
}

const COLUMNS: Column<Row>[] = [
  { name: 'currency', text: ({ currency }) => currency },
  { name: 'date', day: ({ day }) => day },
  { name: 'kind', text: ({ kind }) => kind },
  { name: 'invoiceId', text: ({ invoiceId }) => invoiceId ?? '' },
  { name: 'number', text: ({ number }) => number ?? '' },
  { name: 'billingProfileId', text: ({ billingProfileId }) => billingProfileId ?? '' },
  { name: 'reference', text: ({ reference }) => reference ?? '' },
  {
    name: 'amount',
    amount: ({ amount, currency }) => (amount === null ? null : plainAmount(amount, currency)),
  },
  { name: 'balanceAmount', amount: ({ balance, currency }) => plainAmount(balance, currency) },
]

function movementsTable(days: { from: string; to: string }, accounts: readonly Account[]): Table<Row> {
  return { columns: COLUMNS, batches: batches(days, accounts) }
}

/** The movements of each account between its opening and its closing balance. */
async function* batches(
  { from, to }: { from: string; to: string },
  accounts: readonly Account[],
): AsyncGenerator<Row[]> {
  const none = { invoiceId: null, number: null, billingProfileId: null, reference: null, amount: null }
  for (const { currency, opening, closing, movements } of accounts)
    yield [
      { ...none, currency, day: from, kind: 'opening-balance', balance: opening },
      ...movements,
      { ...none, currency, day: to, kind: 'closing-balance', balance: closing },
    ]
}
