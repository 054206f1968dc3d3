import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { digestOf } from '#lib/access/api-key.ts'
import { answer } from '#lib/api/answer.ts'
import { type Database, openDatabase } from '#lib/db/client.ts'
import { startEmbedded } from '#lib/db/embedded.ts'
import { migrate } from '#lib/db/migrate.ts'
import { listInvoices, summarizeInvoices } from '#lib/invoices/operations.ts'
import { setQuantity } from '#lib/license-changes/operations.ts'
import { report, run } from './measure.ts'
import { addBenchCustomer, tokenBeyond } from './seed.ts'

// What the API costs over what PostgreSQL costs, in one run on one machine: ratios, never times, travel.
// npm run bench [-- <invoices, 100000 unless told>]

const invoices = Number(process.argv[2] ?? 100_000)
let turn = 0
const folder = await mkdtemp(join(tmpdir(), 'console-bench-'))
const embedded = await startEmbedded(folder)
await migrate(embedded.url)
const database = openDatabase(embedded.url)
try {
  await bench(database)
} finally {
  await database.close()
  await embedded.release()
  await rm(folder, { recursive: true, force: true })
}

async function bench(opened: Database): Promise<void> {
  const key = {
    small: await addBenchCustomer(embedded.url, 'small', 10_000),
    large: await addBenchCustomer(embedded.url, 'large', invoices),
  }
  const list =
    (apiKey: string, search = '') =>
    () =>
      get(apiKey, search)
  const { pageToken } = JSON.parse(await get(key.large, ''))
  const deep = await tokenBeyond(embedded.url, pageToken, invoices - 100)

  const raw = await run('list, the two statements alone', () => statements(opened, digestOf(key.large)))
  const page1 = await run(`list, page 1 of ${invoices}`, list(key.large))
  const last = await run('list, near the last page', list(key.large, `pageToken=${deep}`))
  const small = await run('list, page 1 of 10,000', list(key.small))
  report('list against its statements (budget 0.45)', page1.perSecond / raw.perSecond)
  report('deep page against page 1 (median)', last.median / page1.median)

  const order = 'orderBy=balanceAmount%20desc'
  const first = JSON.parse(await get(key.large, order)).pageToken
  const far = await tokenBeyond(embedded.url, first, invoices - 100, 'balance_amount')
  const sorted = await run('list by balance, page 1', list(key.large, order))
  const sortedLast = await run(
    'list by balance, near the last page',
    list(key.large, `${order}&pageToken=${far}`),
  )
  report('list by balance against the usual order (median)', sorted.median / page1.median)
  report('its deep page against its page 1 (median)', sortedLast.median / sorted.median)
  report(`${invoices} against 10,000 (median, budget 1.2)`, page1.median / small.median)

  const transaction = await run('change, the same transaction alone', () => changeStatements(opened))
  const change = await run('change, PATCH', () => patch(key.small))
  report('change against its transaction (budget 0.40)', change.perSecond / transaction.perSecond)

  const few = await run('summary of 10,000', () => get(key.small, '', 'invoice-summary'))
  const many = await run(`summary of ${invoices}`, () => get(key.large, '', 'invoice-summary'))
  report('summary of them against 10,000 (median, budget 1.2)', many.median / few.median)
}

async function get(apiKey: string, search: string, path = 'invoices'): Promise<string> {
  const headers = new Headers({ authorization: `Bearer ${apiKey}` })
  const request = {
    method: 'GET',
    path: `/billing/v1/${path}`,
    search,
    headers,
    read: async () => new Uint8Array(),
  }
  const { status, body } = await answer([path === 'invoices' ? listInvoices : summarizeInvoices], request)
  if (status !== 200) throw new Error(`${path} answered ${status}: ${body}`)
  return body as string
}

async function statements({ app, access }: Database, digest: string): Promise<void> {
  const caller = 'SELECT customer_id, id, roles FROM api_keys WHERE digest = $1'
  await access.query({ name: 'caller', text: caller, values: [digest] })
  const client = await app.connect()
  client.query('BEGIN READ ONLY')
  client.query("SELECT set_config('console.customer', 'large', true)")
  await client.query({
    name: 'list',
    text: `SELECT id, invoice_date, due_date, total_amount, balance_amount FROM invoices
           WHERE customer_id = 'large' ORDER BY invoice_date DESC, id DESC LIMIT 51`,
  })
  client.query('COMMIT').then(() => client.release())
}

async function changeStatements({ app }: Database): Promise<void> {
  const id = `workspace-suite-${turn++ % 64}`
  const client = await app.connect()
  client.query('BEGIN')
  client.query("SELECT set_config('console.customer', 'large', true)")
  await client.query("SELECT * FROM assets WHERE customer_id = 'large' AND id = $1 FOR NO KEY UPDATE", [id])
  const rest = ['operator', 'operator', 'operator', 'bench']
  await Promise.all([
    client.query(
      `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, settled_at, actor_kind, actor_id, actor_name, request_id)
       VALUES ('large', gen_random_uuid()::text, $1, 1, 2, 'APPLIED', now(), $2, $3, $4, $5)`,
      [id, ...rest],
    ),
    client.query(
      `INSERT INTO audit_events (customer_id, action, subject, actor_kind, actor_id, actor_name, request_id, details)
       VALUES ('large', 'bench', $1, $2, $3, $4, $5, '{}')`,
      [id, ...rest],
    ),
    client.query(
      "INSERT INTO seat_readings (customer_id, asset_id, purchased, assigned) VALUES ('large', $1, 2, 0)",
      [id],
    ),
    client.query(
      "UPDATE assets SET seats_purchased = seats_purchased + 1, seat_version = seat_version + 1 WHERE customer_id = 'large' AND id = $1",
      [id],
    ),
  ])
  await client.query('COMMIT')
  client.release()
}

async function patch(apiKey: string): Promise<void> {
  const n = turn++
  const bytes = Buffer.from(JSON.stringify({ quantity: 2 + (n % 100_000) }))
  const headers = new Headers({
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    'content-length': String(bytes.length),
  })
  const path = `/billing/v1/assets/workspace-suite-${n % 64}`
  const { status, body } = await answer([setQuantity], {
    method: 'PATCH',
    path,
    search: '',
    headers,
    read: async () => bytes,
  })
  if (status !== 200) throw new Error(`The change answered ${status}: ${body}`)
}
