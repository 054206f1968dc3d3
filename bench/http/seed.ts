import { randomUUID } from 'node:crypto'
import { encode } from 'next-auth/jwt'
import pg from 'pg'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { addSession } from '#lib/platform/caller/session.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { addAsset, addCustomer, addKey, addMember, callerOf } from '#lib/platform/db/test-rows.ts'
import { SESSION_SECRET } from './program.ts'

/** A customer of the bench, with the key of an admin. */
export type Loaded = { id: string; key: string; invoices: number }

const ASSETS = 64
const LINES = 2
/** Number of invoices in one INSERT. */
const PART = 250_000
const SMALL = { customers: 20_000, invoices: 5 }

/**
 * Adds a customer with 64 assets, and so many invoices over five and a half years with two lines each. A customer that
 * an earlier run added only gets a new key.
 * @param url of a migrated database that this process has opened, as its superuser
 * @throws Error if the earlier run was interrupted
 */
export async function addLoaded(url: string, id: string, invoices: number): Promise<Loaded> {
  if (!(await wasAdded(url, id, invoices))) await write(url, id, invoices)
  return { id, key: await addKey(id, ['admin']), invoices }
}

async function write(url: string, id: string, invoices: number): Promise<void> {
  await addCustomer(id)
  for (let n = 0; n < ASSETS; n++) await addAsset(id, `workspace-suite-${n}`, { purchased: 1 })
  const [invoiceClient, lines] = [new pg.Client(url), new pg.Client(url)]
  await Promise.all([invoiceClient.connect(), lines.connect()])
  // Writes the lines of one part in parallel with the invoices of the next.
  let written = Promise.resolve<unknown>(undefined)
  for (let first = 1; first <= invoices; first += PART) {
    const part = [id, first, Math.min(invoices, first + PART - 1)]
    await invoiceClient.query(
      `${INVOICES} SELECT $1::text, ${numberOf('n')}, n FROM generate_series($2::int, $3) n) one (customer, number, n)`,
      part,
    )
    await written
    written = lines.query(
      `${LINE_ITEMS} WHERE i.customer_id = $1 AND i.id BETWEEN ${numberOf('$2::int')} AND ${numberOf('$3::int')}`,
      part,
    )
  }
  await written
  await Promise.all([invoiceClient.end(), lines.end()])
}

async function wasAdded(url: string, id: string, invoices: number): Promise<boolean> {
  const owner = new pg.Client(url)
  await owner.connect()
  const { rowCount } = await owner.query('SELECT FROM customers WHERE id = $1', [id])
  const { rows } = await owner.query(
    'SELECT count(*)::int AS invoices FROM invoices WHERE customer_id = $1',
    [id],
  )
  await owner.end()
  if (rowCount && rows[0].invoices !== invoices)
    throw new Error(
      `${id} has ${rows[0].invoices} of ${invoices} invoices: delete the folder of --keep, and begin anew.`,
    )
  return rowCount === 1
}

/**
 * Adds 20,000 customers with five invoices each, unless an earlier run has; returns some of them, with keys and an
 * asset.
 */
export async function addSmall(url: string, keys: number): Promise<Loaded[]> {
  const { customers, invoices } = SMALL
  const ids = Array.from({ length: keys }, (_, n) => `s-${1 + n * Math.floor(customers / keys)}`)
  if (!(await wasAdded(url, 's-1', invoices))) {
    await writeSmall(url)
    for (const id of ids) await addAsset(id, 'workspace-suite-0', { purchased: 1 })
  }
  const loaded: Loaded[] = []
  for (const id of ids) loaded.push({ id, key: await addKey(id, ['admin']), invoices })
  return loaded
}

async function writeSmall(url: string): Promise<void> {
  const owner = new pg.Client(url)
  await owner.connect()
  const { customers, invoices } = SMALL
  await owner.query(
    `INSERT INTO customers (id, name, domain, contact_email)
     SELECT 's-' || n, 'Small ' || n, 's-' || n || '.example', 'office@s-' || n || '.example' FROM generate_series(1, $1) n`,
    [customers],
  )
  for (const [table, columns, values] of [
    ['billing_profiles', 'customer_id, id, name', "id, 'default', name"],
    ['parties', 'customer_id, id, content', `id, 'test-party', '{"name": "Party"}'`],
  ])
    await owner.query(`INSERT INTO ${table} (${columns}) SELECT ${values} FROM customers WHERE id LIKE 's-%'`)
  await owner.query(
    `${INVOICES} SELECT c.id, 'IN-' || n, n FROM customers c, generate_series(1, $1) n WHERE c.id LIKE 's-%') one (customer, number, n)`,
    [invoices],
  )
  await owner.query(`${LINE_ITEMS} WHERE i.customer_id LIKE 's-%'`)
  await owner.end()
}

/** Signs in a new member of a customer who may see everything, and returns a browser's Cookie header. */
export async function signedIn(id: string): Promise<string> {
  const [caller, member, sid] = [
    await callerOf(id, 'admin'),
    await addMember(id, { roles: ['admin'] }),
    randomUUID(),
  ]
  const opened = {
    digest: digestOf(sid),
    address: '127.0.0.1',
    userAgent: 'bench',
    browser: digestOf(`browser ${sid}`),
  }
  await scope(caller, (tx) => addSession(tx, caller.customerId, member, opened))
  return `console-session=${await encode({ token: { sid }, secret: SESSION_SECRET })}`
}

const numberOf = (n: string) => `'IN-' || lpad((${n})::text, 8, '0')`

const INVOICES = `
  INSERT INTO invoices (customer_id, id, number, seller_id, buyer_id, billing_profile_id, platform, issuer,
    invoice_date, due_date, currency, total_amount, balance_amount)
  SELECT customer, number, number, 'test-party', 'test-party', 'default',
    (ARRAY['cloud-platform', 'web-services', 'workspace-suite'])[1 + n % 3], 'Bench',
    date '2020-01-01' + n % 2000, date '2020-02-01' + n % 2000, 'USD', 10.25, CASE n % 10 WHEN 0 THEN 10.25 ELSE 0 END
  FROM (`

const LINE_ITEMS = `
  INSERT INTO line_items (customer_id, invoice_id, position, type, description, price, qty, currency)
  SELECT i.customer_id, i.id, position, i.platform, 'Usage', CASE position WHEN 0 THEN 4.25 ELSE 6 END, 1, i.currency
  FROM invoices i CROSS JOIN generate_series(0, ${LINES - 1}) position`
