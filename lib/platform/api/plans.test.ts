import { globSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { tokenOf } from '#lib/identity/scim/test-calls.ts'
import { type Login, loginOf } from '#lib/platform/db/logins.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, addInvoice, addKey, addProfile } from '#lib/platform/db/test-rows.ts'
import { type Read, rowsRead, sentBy } from '#lib/platform/db/test-servers/test-plans.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { LICENSE_TABLES } from '#lib/platform/db/test-servers/test-versions.ts'
import type { AnyContract } from './contract.ts'
import { CASES } from './test-plan-cases.ts'
import { OF_ALL_ASSETS } from './test-plan-selections.ts'

// Counts by query plans how many rows each operation reads per answered row, as its database role and behind row-level
// security. Finds operations that read all rows of a customer, independently of the clock.

/** Rows of each customer; each kind that a filter selects has a few of them. */
const MANY = 5000
/** Most rows that an operation may read: `ofRow` for each answered row with its lines and changes, `fixed` on top. */
const MAX_READS = { ofRow: 8, fixed: 1200 }

type Handlers = Record<string, (request: Request) => Promise<Response>>
/** Reason of the calls that may read more. */
const WALKED = 'goes back by date until a page is full: seldom what it chooses is old and rare at once'
const FEW = 'asks all assets of a customer, of which there are at most some ten thousand'
const MOVED = 'adds up all that moved since the first day: an account is stated back from today'
const CHANGES = 'asks what moved the seats in some months, of which the newest 5,000 changes at most'
const EXCEPTIONS: Record<string, string> = {
  'GET /billing/v1/invoices?filter=currency:EUR': WALKED,
  'GET /billing/v1/invoices?filter=billingProfile:emea': WALKED,
  'GET /billing/v1/payments?filter=currency:EUR': WALKED,
  'GET /billing/v1/account-statement?filter=currency:EUR': MOVED,
  'GET /billing/v1/account-statement?minDate=1794873600&maxDate=1795046400': MOVED,
  'GET /billing/v1/license-changes?filter=state:REJECTED': WALKED,
  'GET /billing/v1/invoice-explanation?month=2026-10': CHANGES,
  'GET /billing/v1/invoice-explanation.csv?month=2026-10': CHANGES,
  'GET /billing/v1/asset-summary?': FEW,
  'GET /billing/v1/needs?': FEW,
  'GET /billing/v1/renewals?': FEW,
  'GET /billing/v1/renewals?month=2026-12&filter=type:workspace-suite': FEW,
  'GET /billing/v1/renewals.csv?': FEW,
  'GET /billing/v1/assets?search=suite-4999': FEW,
  ...Object.fromEntries(OF_ALL_ASSETS.map((query) => [`GET /billing/v1/assets?${query}`, FEW])),
  'GET /billing/v1/matches?search=suite-4999': FEW,
  'GET /billing/v1/matches?search=RARE': FEW,
}

let database: TestDatabase
let key: string
let token: string
const contracts: AnyContract[] = []
const handlers = new Map<string, Handlers>()

beforeAll(async () => {
  vi.stubEnv('BASE_URL', 'https://console.example.com')
  database = await testDatabase({ today: '2026-11-20' })
  await seed('northwind', MANY)
  await seed('southwind', MANY)
  for (const table of [
    'invoices',
    'invoice_sums',
    'invoice_tokens',
    'line_items',
    'charge_sets',
    'charges',
    'payments',
    'payment_entries',
    'assets',
    'license_changes',
  ])
    await run(database.url, `VACUUM ANALYZE ${table}`)
  key = await addKey('northwind', ['admin'])
  token = await tokenOf('northwind')
  for (const file of globSync('lib/*/*/contract.ts').filter(
    (name) => name !== 'lib/platform/api/contract.ts',
  )) {
    const exported: Record<string, AnyContract> = await import(/* @vite-ignore */ `../../../${file}`)
    contracts.push(...Object.values(exported).filter((one) => Object(one).path))
  }
  for (const { path } of contracts)
    handlers.set(
      path,
      await import(
        /* @vite-ignore */ `../../../app${path.replaceAll('{', '[').replaceAll('}', ']')}/route.ts`
      ),
    )
}, 120_000)
afterAll(async () => {
  vi.unstubAllEnvs()
  for (const client of clients.values()) await (await client).end()
  await database.close()
})

/** Adds many rows of each kind, and a few different ones, the oldest. */
async function seed(customer: string, many: number): Promise<void> {
  await addCustomer(customer)
  await addProfile(customer, 'emea')
  const columns = `customer_id, seller_id, buyer_id, id, number, billing_profile_id, platform, issuer, invoice_date, due_date,
    currency, total_amount, balance_amount, document_state`
  const insertion = (select: string) =>
    `INSERT INTO invoices (${columns}) SELECT '${customer}', 'test-party', 'test-party', ${select}`
  const insert = (select: string) => database.sql(customer, insertion(select))
  await database.insertMany(
    customer,
    many,
    insertion(
      `'IN-' || lpad(n::text, 6, '0'), 'IN-' || lpad(n::text, 6, '0'), 'default', 'web-services', 'Resale', date '2022-01-01' + n * 1250 / ${many},
       date '2022-02-01' + n * 1250 / ${many}, 'USD', n % 97, 0, 'issued' FROM generate_series($1::int, $2::int) n`,
    ),
  )
  await insert(
    `'RARE-000' || n, 'RARE-000' || n, 'emea', 'rare', 'Rare', date '2020-01-01' + n, date '2020-02-01' + n, 'EUR', 4000 + n, n,
     'issued' FROM generate_series(1, 9) n`,
  )
  for (const state of ['draft', 'voided'])
    await insert(
      `'${state}-' || n, '${state}-' || n, 'default', 'web-services', 'Resale', date '2021-01-01' + n, date '2021-02-01' + n, 'USD', 5,
       0, '${state}' FROM generate_series(1, 9) n`,
    )
  await database.sql(
    customer,
    `INSERT INTO line_items (customer_id, invoice_id, position, type, description, price, qty, currency)
     SELECT customer_id, id, p, platform, 'Usage', total_amount / 2, 1, currency FROM invoices, generate_series(0, 1) p`,
  )
  // Adds one invoice with many charges: a few that result in one line, and the others in another one.
  await database.sql(
    customer,
    `INSERT INTO charge_sets (customer_id, id, issuer, number, currency, count, amount, digest, lines)
     VALUES ($1, 'set', 'Rare', 'RARE-0004', 'EUR', $2, 4004, 'x', jsonb_build_array(
       jsonb_build_object('detail', 'L-1', 'from', 0, 'count', 9, 'amount', '4', 'corrections', $3::jsonb,
         'categories', '[]'::jsonb),
       jsonb_build_object('detail', 'L-2', 'from', 9, 'count', $2::int - 9, 'amount', '4000', 'corrections', $3::jsonb,
         'categories', '[]'::jsonb)))`,
    [customer, many, JSON.stringify({ count: 0, amount: '0' })],
  )
  await database.sql(
    customer,
    `INSERT INTO charges (customer_id, set_id, position, detail, category, service, billing_account, billed_cost)
     SELECT $1, 'set', n, CASE WHEN n < 9 THEN 'L-1' ELSE 'L-2' END, 'Usage', 'Compute', 'A-1', 0.8
     FROM generate_series(0, $2::int - 1) n`,
    [customer, many],
  )
  await addAsset(customer, 'cloud-platform-1', null)
  await addAsset(customer, 'workspace-suite-1', { purchased: 5 })
  await addInvoice(customer, 'NEWEST', { balanceAmount: '0' })
  await database.sql(
    customer,
    `INSERT INTO assets SELECT (jsonb_populate_record(a, jsonb_build_object('id', 'workspace-suite-' || n,
       'created_at', now() - n * interval '1 minute'))).* FROM assets a, generate_series(2, $1::int) n WHERE id = 'workspace-suite-1'`,
    [many],
  )
  await database.sql(
    customer,
    `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, actor_kind, actor_id, actor_name,
       request_id, created_at, settled_at)
     SELECT $1, 'change-' || n, 'workspace-suite-' || 1 + n % 1000, 5, 6, CASE WHEN n > $2 - 9 THEN 'REJECTED' ELSE 'APPLIED' END,
       'key', 'k', 'Key', 'r', now() - n * interval '1 hour', now() FROM generate_series(1, $2::int) n`,
    [customer, many],
  )
}

type RequestPlan = {
  name: string
  rows: number
  reads: Read[]
  /** Statements without those that find the caller. */
  texts: string[]
}

/** Sends a call, and plans each query that the call sent to the database. */
async function plan(contract: AnyContract, url: string): Promise<RequestPlan> {
  const { method, path } = contract
  const target = await targetOf(contract, url)
  let text = ''
  const sent = await sentBy(async () => {
    text = await (await send(contract, target)).text()
  })
  const [asApp, asAccess] = [
    sent.filter(({ text }) => !isCredentialQuery(text)),
    sent.filter(({ text }) => isCredentialQuery(text)),
  ]
  const reads = [...(await readBy('console_app', asApp)), ...(await readBy('console_keys', asAccess))]
  const name = path.includes('{') ? target : `${path}?${url}`
  return { name: `${method} ${name}`, rows: rowsOf(text), reads, texts: asApp.map(({ text }) => text) }
}

/** Returns path and query of a case. */
async function targetOf(contract: AnyContract, url: string): Promise<string> {
  const { path } = contract
  const [id = '', search] = url.split('?')
  return path.includes('{')
    ? path.replace(/\{\w+\}/, id) + (search === undefined ? '' : `?${search}`)
    : `${path}?${url === 'pageToken' ? await lastPage(contract) : url}`
}

const readIn = ({ reads }: Pick<RequestPlan, 'reads'>) => reads.reduce((sum, { rows }) => sum + rows, 0)
/** Returns whether a query looks up the caller by key or token. */
const isCredentialQuery = (text: string) =>
  /FROM (api_keys k|scim_tokens t|look_ups|limit_windows)\s|'look-ups'|UPDATE limit_windows|SET last_used_at/.test(
    text,
  )

/** One connection for each login: hundreds of calls are planned. */
const clients = new Map<Login, Promise<pg.Client>>()

async function readBy(login: Login, queries: Awaited<ReturnType<typeof sentBy>>): Promise<Read[]> {
  const client = clients.get(login) ?? connected(login)
  clients.set(login, client)
  return rowsRead(await client, queries)
}

async function connected(login: Login): Promise<pg.Client> {
  const client = new pg.Client(loginOf(database.url, login))
  await client.connect()
  await client.query("SELECT set_config('console.customer', 'northwind', false)")
  return client
}

async function send(contract: AnyContract, target: string): Promise<Response> {
  const body = contract.method === 'PATCH' ? JSON.stringify({ quantity: 6 }) : undefined
  const headers = {
    Authorization: `Bearer ${contract.protocol ? token : key}`,
    'Content-Type': 'application/json',
  }
  const request = new Request(`https://console.example.com${target}`, {
    method: contract.method,
    headers,
    ...(body ? { body } : {}),
  })
  const response = await handlers.get(contract.path)?.[contract.method]?.(request)
  if (!response) throw new Error(`Nothing answers ${target}.`)
  return response
}

/** Returns the number of rows of an answer, in its lists or as a file. */
function rowsOf(text: string): number {
  if (!text.startsWith('{')) return text.split('\r\n').length
  return Object.values(JSON.parse(text)).reduce(
    (sum: number, part) => sum + (Array.isArray(part) ? part.length : 0),
    0,
  )
}

/** Returns the query of the page that a client reaches after 4,000 of the 5,000 rows. */
async function lastPage(contract: AnyContract): Promise<string> {
  let token = ''
  for (let page = 0; page < 16; page++) {
    const answer = await send(contract, `${contract.path}?maxResults=250&${token}`)
    token = `pageToken=${(await answer.json()).pageToken}`
  }
  return token
}

describe(`calls over ${MANY} rows read at most ${MAX_READS.ofRow} rows per answered row, and ${MAX_READS.fixed} more`, () => {
  it('every contract has a case', () => {
    expect(Object.keys(CASES).sort()).toEqual(contracts.map(({ name }) => name).sort())
  })

  it('all calls respect the limit, and the exceptions exceed it', async () => {
    const over: Record<string, string> = {}
    for (const contract of contracts)
      for (const url of CASES[contract.name] ?? []) {
        const { name, rows, reads } = await plan(contract, url)
        const all = readIn({ reads })
        const largest = reads.toSorted((a, b) => b.rows - a.rows)[0]
        if (all > MAX_READS.ofRow * rows + MAX_READS.fixed)
          over[name] =
            `${all} rows read for ${rows}: ${JSON.stringify(largest?.from)} by ${largest?.query.slice(0, 300)}`
      }
    for (const [name, reason] of Object.entries(EXCEPTIONS)) {
      expect.soft([name, over[name] !== undefined], reason).toEqual([name, true])
      delete over[name]
    }
    expect(over).toEqual({})
  }, 120_000)

  it('cached answers read only tables whose writes replace their version', async () => {
    const { rows } = await database.opened.jobs.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class c WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
         AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = c.oid AND tgname = 'version_checked')`,
    )
    const unchecked = rows.map(({ name }) => name)
    expect(unchecked).toContain('sessions')
    expect(unchecked).not.toContain('customers')
    const cached = contracts.filter(({ cachedBy }) => cachedBy)
    expect(cached.length).toBeGreaterThan(10)
    expect(cached.filter(({ showsLicenses }) => !showsLicenses).length).toBeGreaterThan(5)
    for (const contract of cached)
      for (const url of CASES[contract.name] ?? []) {
        const { name, texts } = await plan(contract, url)
        const forbidden = contract.showsLicenses ? unchecked : [...unchecked, ...LICENSE_TABLES]
        const named = forbidden.filter((table) => new RegExp(`\\b${table}\\b`).test(texts.join(' ')))
        expect.soft([name, texts.length > 0, named]).toEqual([name, true, []])
      }
  }, 60_000)

  it('cached answers take no time from the clock of the process', async () => {
    for (const contract of contracts.filter(({ cachedBy }) => cachedBy))
      for (const url of CASES[contract.name] ?? []) {
        const target = await targetOf(contract, url)
        const read = async () => {
          const answer = await send(contract, target)
          return [target, answer.status, answer.ok ? await answer.text() : '']
        }
        const now = await read()
        vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2031, 4, 5) })
        expect.soft(await read().finally(() => vi.useRealTimers())).toEqual(now)
      }
  }, 60_000)

  it.each([
    ['invoices_newest', 'listInvoices', ''],
    ['invoices_total', 'listInvoices', 'orderBy=totalAmount%20asc'],
    ['invoices_platform_newest', 'listInvoices', 'filter=platform:rare'],
    ['invoices_unsettled, invoices_statement', 'readStatement', ''],
    ['license_changes_by_time', 'listLicenseChanges', ''],
  ])('the limit is exceeded when %s is dropped', async (index, name, url) => {
    const contract = contracts.find((one) => one.name === name) as AnyContract
    const most = ({ rows }: RequestPlan) => MAX_READS.ofRow * rows + MAX_READS.fixed
    const before = await plan(contract, url)
    expect(readIn(before)).toBeLessThanOrEqual(most(before))
    await run(database.url, `DROP INDEX ${index}`)
    const after = await plan(contract, url)
    expect(readIn(after)).toBeGreaterThan(most(after))
  })
})
