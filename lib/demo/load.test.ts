import { afterAll, beforeAll, expect, test } from 'vitest'
import { listInvoices, readInvoice } from '#lib/billing/invoices/operations.ts'
import { hashPassword, passwordFits } from '#lib/identity/access/passwords/hash.ts'
import { findPerson } from '#lib/identity/access/people/find-person.ts'
import { passwordsOf } from '#lib/identity/access/people/rules.ts'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { findKeyCaller } from '#lib/platform/caller/authenticate.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { listCustomers } from '#lib/platform/caller/store.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, callerOf } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { changedPasswords, issueDemoKey } from './credentials.ts'
import { type DemoCustomer, demoCustomers } from './customers.ts'
import { DEMO_PASSWORD, loadDemo } from './load.ts'

const TODAY = '2026-11-20'
const NORTHWIND = 'northwind-labs'
const requestMeta = { requestId: 'test' }
const customers = demoCustomers(TODAY, { largest: 40 })
const [northwind, , freight] = customers
const names = customers.map(({ name }) => name)

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  await addCustomer('somebody')
})
afterAll(() => db.close())

const storedNames = async () => (await listCustomers()).map(({ name }) => name)

/** Returns all rows of a customer, of every table that the demo fills. */
async function rowsOf(id: string): Promise<unknown> {
  const tables = ['billing_profiles', 'assets', 'license_changes', 'audit_events', 'invoices']
  const rows = []
  for (const table of [...tables, 'line_items'])
    rows.push(await db.sql(id, `SELECT * FROM ${table} WHERE customer_id = $1 ORDER BY 1, 2, 3`, [id]))
  const columns = 'id, email, name, roles, billing_profiles, disabled_at, created_at'
  rows.push(await db.sql(id, `SELECT ${columns} FROM members WHERE customer_id = $1 ORDER BY id`, [id]))
  return rows
}

async function setSeats(caller: Caller, asset: string, quantity: number): Promise<void> {
  await setQuantity(caller, { params: { asset_id: asset }, query: {}, body: { quantity } }, requestMeta)
}

// In their order: an empty database, a load that breaks off, a whole one, another.
test('A customer that can’t be loaded completely leaves nothing', async () => {
  const [invoice] = freight.invoices
  const invoices = [...freight.invoices, { ...invoice, id: 'IN-1', billingProfileId: 'unknown' }]
  const broken = { ...freight, invoices } as DemoCustomer
  await expect(loadDemo([broken], TODAY)).rejects.toThrow("demo customer Halvorsen Freight can't be added")
  expect(await storedNames()).toEqual(['somebody'])
})

test('two at the same time load each customer once, in their order', async () => {
  const added = await Promise.all([loadDemo(customers, TODAY), loadDemo(customers, TODAY)])
  expect(added.flat().sort()).toEqual([...names].sort())
  expect(await storedNames()).toEqual(['somebody', ...names])
})

test('A second load keeps everything, including later changes', async () => {
  const caller = await callerOf(NORTHWIND, 'it-manager')
  await setSeats(caller, 'workspace-suite-8041', 200)
  const before = [await rowsOf('somebody'), await rowsOf(NORTHWIND)]
  expect(await loadDemo(customers, TODAY)).toEqual([])
  expect(await loadDemo(demoCustomers('2027-02-01', { largest: 40 }), '2027-02-01')).toEqual([])
  expect([await rowsOf('somebody'), await rowsOf(NORTHWIND)]).toEqual(before)
  await setSeats(caller, 'workspace-suite-8041', 240)
})

test('One invoice is a draft, one was corrected, and each credit note refers to its invoice', async () => {
  const caller = await callerOf(NORTHWIND, 'finance-user')
  const requestMeta = { requestId: 'test-request' }
  const list = async (state: string) => {
    const query = { filter: { state: [state] }, maxResults: 250 }
    return (await listInvoices(caller, { params: {}, query, body: undefined }, requestMeta)).body.invoices
  }
  const read = async (id: string) =>
    (await readInvoice(caller, { params: { invoice_id: id }, query: {}, body: undefined }, requestMeta)).body
  const [draft, ...drafts] = await list('draft')
  expect([draft?.balanceAmount, drafts]).toEqual([0, []])
  expect(await read(draft?.id ?? '')).toMatchObject({ form: 'summary', periodEnd: expect.any(Number) })
  const [voided, ...others] = await list('voided')
  expect(others).toEqual([])
  const { replacedBy = '' } = await read(voided?.id ?? '')
  expect(await read(replacedBy)).toMatchObject({
    number: voided?.number,
    replaces: voided?.id,
    balanceAmount: -268.91,
  })
  const credits = (await list('issued')).filter(({ totalAmount }) => totalAmount < 0)
  expect(credits.length).toBeGreaterThan(1)
  for (const { id, platform } of credits) {
    const { corrects, number } = await read(id)
    const credited = await read(corrects?.id ?? '')
    expect(credited.correctedBy).toContainEqual(expect.objectContaining({ id, number }))
    expect(credited.platform).toBe(platform)
  }
})

test('Every invoice is stored with its lines, and one with 120 of them is read completely', async () => {
  const id = northwind.invoices.find(({ lines }) => lines.length === 120)?.number ?? ''
  const caller = await callerOf(NORTHWIND, 'finance-user')
  const { body } = await readInvoice(
    caller,
    { params: { invoice_id: id }, query: {}, body: undefined },
    requestMeta,
  )
  expect(body.lineItems).toHaveLength(120)
  const counted = await db.sql(
    NORTHWIND,
    'SELECT count(DISTINCT i.id)::int AS invoices, count(*)::int AS lines FROM invoices i JOIN line_items l ON l.customer_id = i.customer_id AND l.invoice_id = i.id',
  )
  const all = [...northwind.invoices, ...(northwind.resent ?? [])]
  const lines = all.flatMap((invoice) => invoice.lines)
  expect(counted).toEqual([{ invoices: all.length, lines: lines.length }])
})

test('Applied changes add up to the present seats, each with an audit row of its day and member', async () => {
  const last = `SELECT DISTINCT ON (asset_id) asset_id, to_quantity FROM license_changes
    WHERE state = 'APPLIED' ORDER BY asset_id, created_at DESC`
  const wrong = await db.sql(
    NORTHWIND,
    `SELECT a.id FROM (${last}) c JOIN assets a ON a.id = c.asset_id WHERE a.seats_purchased <> c.to_quantity`,
  )
  expect(wrong).toEqual([])
  const [row] = await db.sql(
    NORTHWIND,
    `SELECT count(*)::int AS changes, count(e.id)::int AS audited, count(m.id)::int AS made
     FROM license_changes c
     LEFT JOIN audit_events e ON e.subject = c.id AND e.at = c.created_at AND e.action = 'license-change.' || lower(c.state)
     LEFT JOIN members m ON m.id = c.actor_id AND m.name = c.actor_name
     WHERE c.request_id <> 'test'`,
  )
  expect(row).toEqual({ changes: 11, audited: 11, made: 11 })
})

test('Seat readings end with the present number and never exceed the purchased one', async () => {
  const lines = `SELECT count(*)::int AS readings, max(at) < now() AS past,
      bool_and(assigned <= purchased) AS fits, count(DISTINCT assigned) > 5 AS moves
    FROM seat_readings WHERE asset_id = 'workspace-suite-8041'`
  const [row] = await db.sql(NORTHWIND, lines)
  expect(row).toMatchObject({ past: true, fits: true, moves: true })
  expect(row?.readings).toBeGreaterThan(20)
  const last = 'SELECT DISTINCT ON (asset_id) * FROM seat_readings ORDER BY asset_id, at DESC'
  const wrong = await db.sql(
    NORTHWIND,
    `SELECT a.id FROM assets a LEFT JOIN (${last}) r ON r.asset_id = a.id
     WHERE (r.purchased, r.assigned) IS DISTINCT FROM (a.seats_purchased, a.seats_assigned)`,
  )
  expect(wrong).toEqual([])
})

test('Every member signs in with the common password and has the right permissions', async () => {
  for (const { email } of northwind.members) {
    const [hash] = passwordsOf((await findPerson(email)) ?? { memberships: [] })
    expect(await passwordFits(DEMO_PASSWORD, hash)).toBe(true)
  }
  const limited = await db.sql(NORTHWIND, "SELECT billing_profiles FROM members WHERE name = 'Eva de Vries'")
  expect(limited).toEqual([{ billing_profiles: ['northwind-europe'] }])
})

test('A start issues a working key, and revokes only the previous one of its port', async () => {
  const other = await issueDemoKey(northwind.domain, 3001)
  const [first, second] = [
    await issueDemoKey(northwind.domain, 3000),
    await issueDemoKey(northwind.domain, 3000),
  ]
  expect(await findKeyCaller(digestOf(other))).toBeDefined()
  expect(await findKeyCaller(digestOf(first))).toBeUndefined()
  const caller = await findKeyCaller(digestOf(second))
  if (!caller) throw new Error('The key does not work.')
  const { body } = await listInvoices(caller, { params: {}, query: {}, body: undefined }, requestMeta)
  expect(body.rowCount).toBe(50)
  const query = 'SELECT id, name, digest FROM api_keys'
  const stored = JSON.stringify((await db.opened.keys.query(query)).rows)
  expect(stored).not.toContain(second)
})

test('Members with a changed password are reported, and a failing check throws nothing', async () => {
  const emails = northwind.members.map(({ email }) => email)
  const [first = '', second = ''] = emails
  const hash = await hashPassword('another password')
  await db.sql(NORTHWIND, 'UPDATE members SET password_hash = $1 WHERE email = $2', [hash, second])
  expect(await changedPasswords(emails)).toEqual({ changed: new Set([second]), error: undefined })
  await run(db.url, 'REVOKE ALL ON members FROM console_sign_in')
  const { changed, error } = await changedPasswords([first])
  expect([[...changed], error]).toEqual([[], 'permission denied for table members'])
})
