import { randomUUID } from 'node:crypto'
import { encode } from 'next-auth/jwt'
import pg from 'pg'
import { digestOf } from '#lib/access/api-key.ts'
import { addSession } from '#lib/access/session.ts'
import { scope } from '#lib/db/scope.ts'
import { addAsset, addCustomer, addKey, addMember, callerOf } from '#lib/db/test-rows.ts'
import { SESSION_SECRET } from './program.ts'

/** A customer of the bench, with the key of an admin. */
export type Loaded = { id: string; key: string; invoices: number }

const ASSETS = 64
const LINES = 2
const SMALL = { customers: 20_000, invoices: 5 }

/**
 * Adds a customer with 64 assets, and so many invoices over five and a half years with two lines each.
 * @param url of a migrated database that this process has opened, as its superuser
 */
export async function addLoaded(url: string, id: string, invoices: number): Promise<Loaded> {
  await addCustomer(id)
  for (let n = 0; n < ASSETS; n++) await addAsset(id, `workspace-suite-${n}`, { purchased: 1 })
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  await owner.query(
    `${INVOICES} SELECT $1::text, 'IN-' || lpad(n::text, 8, '0'), n FROM generate_series(1, $2) n) one (customer, number, n)`,
    [id, invoices],
  )
  await owner.query(`${LINE_ITEMS} WHERE i.customer_id = $1`, [id])
  await owner.end()
  return { id, key: await addKey(id, ['admin']), invoices }
}

/** Adds 20,000 customers with five invoices each; gives some of them, with keys. */
export async function addSmall(url: string, keys: number): Promise<Loaded[]> {
  const owner = new pg.Client({ connectionString: url })
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
  const ids = Array.from({ length: keys }, (_, n) => `s-${1 + n * Math.floor(customers / keys)}`)
  return Promise.all(ids.map(async (id) => ({ id, key: await addKey(id, ['admin']), invoices })))
}

/** Signs a new member of a customer in, who may see everything: the header Cookie of a browser. */
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
