import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { issuerNames } from '#lib/billing/parties/issuers.ts'
import { freezeParties } from '#lib/billing/parties/store.ts'
import { hashPassword } from '#lib/identity/access/passwords/hash.ts'
import { memberPeople } from '#lib/identity/access/people/backfill.ts'
import { signInFrom } from '#lib/identity/access/test-sign-in.ts'
import { listDuplicates } from '#lib/imports/invoices/duplicates.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { reasonOf } from '#lib/platform/runtime/log.ts'
import { openDatabase } from './client.ts'
import { migrate } from './migrate.ts'
import { listMigrations } from './migration-files.ts'
import { scope } from './scope.ts'
import { dropDatabase, onDatabase, run } from './test-servers/test-server.ts'

// Databases that an older version of the program has filled, and what the newest one makes of them.

let url: string
let name: string
let client: pg.Client
beforeEach(async () => {
  name = `console_upgrade_${randomBytes(6).toString('hex')}`
  url = onDatabase(inject('templateUrl'), name)
  await run(onDatabase(url, 'postgres'), `CREATE DATABASE ${name}`)
  client = new pg.Client({ connectionString: url })
  await client.connect()
})
afterEach(async () => {
  await client.end()
  await dropDatabase(onDatabase(url, 'postgres'), name)
})

/** Migrates to the version that had migrations up to this one alone. */
async function migrateUpTo(last: string): Promise<void> {
  const folder = join(await mkdtemp(join(tmpdir(), 'migrations-')), 'all')
  await cp(fileURLToPath(new URL('./migrations', import.meta.url)), folder, { recursive: true })
  const path = join(folder, 'meta/_journal.json')
  const journal = JSON.parse(await readFile(path, 'utf8')) as { entries: { tag: string }[] }
  const end = journal.entries.findIndex(({ tag }) => tag === last)
  expect(end).toBeGreaterThan(0)
  await writeFile(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, end + 1) }))
  await migrate(url, { folder })
}

/** As the app's role in one customer's scope, for the owner sees nothing. */
async function as(customer: string, query: string, values: unknown[] = []) {
  await client.query('SET ROLE console_app')
  await client.query("SELECT set_config('console.customer', $1, false)", [customer])
  try {
    return (await client.query(query, values)).rows
  } finally {
    await client.query('RESET ROLE')
  }
}

const addCustomer = (id: string) =>
  as(id, "INSERT INTO customers (id, name, domain, contact_email) VALUES ($1, $1, $1, $1 || '@x.example')", [
    id,
  ])

async function addAsset(customer: string, id: string, subscriptionId: string, vendor = 'google-workspace') {
  await as(
    customer,
    `INSERT INTO assets (customer_id, id, type, name, customer_domain, vendor_customer_id, reseller, vendor,
       subscription_id, sku_id, sku_name, billing_method, status, plan_name, is_commitment_plan,
       seats_purchased, seats_maximum, seats_assigned)
     VALUES ($1, $2, 'workspace-suite', $2, 'x.example', 'C1', '', $3, $4, 'SKU1', 'Plus', 'ONLINE', 'ACTIVE',
       'FLEXIBLE', false, 5, 5, 0)`,
    [customer, id, vendor, subscriptionId],
  )
}

test('a database of the last release has its rows and all migrations of this one afterwards', async () => {
  const releases: { newest: string }[] = JSON.parse(await readFile('releases.json', 'utf8'))
  await migrateUpTo(releases.at(-1)?.newest ?? '')
  await addCustomer('sunbird')
  await migrate(url)
  const { rows } = await client.query('SELECT count(*)::int AS count FROM drizzle.__drizzle_migrations')
  expect(rows).toEqual([{ count: listMigrations().length }])
  expect(await as('sunbird', 'SELECT id FROM customers')).toEqual([{ id: 'sunbird' }])
})

describe('a subscription stands in one asset', () => {
  beforeEach(async () => {
    await migrateUpTo('0014_recorded-changes')
    for (const customer of ['sunbird', 'northwind']) await addCustomer(customer)
  })

  test('those in several are named, and nothing is changed', async () => {
    await addAsset('sunbird', 'workspace-suite-1', 'S-1')
    await addAsset('northwind', 'workspace-suite-2', 'S-1')
    await addAsset('northwind', 'workspace-suite-3', 'S-2')
    const outcome = await migrate(url).then(() => 'done', reasonOf)
    expect(outcome).toContain('A subscription may stand in one asset only.')
    expect(outcome).toMatch(/google-workspace, customer C1, subscription S-1: .*workspace-suite-1 of sunbird/)
    expect(outcome).toContain('workspace-suite-2 of northwind')
    expect(outcome).not.toContain('workspace-suite-3')
    await expect(addAsset('sunbird', 'workspace-suite-4', 'S-2')).resolves.toBeUndefined()
  })

  test('our own books may repeat themselves, and one of each vendor is one', async () => {
    await addAsset('sunbird', 'workspace-suite-1', 'S-1', 'built-in')
    await addAsset('sunbird', 'workspace-suite-2', 'S-1', 'built-in')
    await addAsset('sunbird', 'workspace-suite-3', 'S-1')
    await addAsset('sunbird', 'workspace-suite-4', 'S-1', 'microsoft-partner-center')
    await migrate(url)
    const countQuery = "SELECT count(*)::int AS count FROM vendor_subscriptions WHERE subscription_id = 'S-1'"
    expect(await as('sunbird', countQuery)).toEqual([{ count: 2 }])
    expect(await as('northwind', countQuery)).toEqual([{ count: 0 }])
  })
})

test('subscriptions at vendors get an id of ours, with what was told of them and what was changed', async () => {
  await migrateUpTo('0016_attempts')
  await addCustomer('sunbird')
  await addAsset('sunbird', 'workspace-suite-1', 'S-1')
  await addAsset('sunbird', 'workspace-suite-2', 'S-2', 'built-in')
  await as('sunbird', "UPDATE assets SET observed_at = '2026-11-20T13:07:00Z' WHERE id = 'workspace-suite-1'")
  for (const asset of ['1', '2'])
    await as(
      'sunbird',
      `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, actor_kind, actor_id,
         actor_name, request_id, settled_at)
       VALUES ('sunbird', $1, 'workspace-suite-' || $1, 4, 5, 'APPLIED', 'key', 'K1', 'sync', 'r', now())`,
      [asset],
    )
  await migrate(url)
  expect(
    await as(
      'sunbird',
      `SELECT a.id, v.vendor, v.account, v.subscription_id AS "at", v.observed_at AS observed, c.id AS change
       FROM assets a JOIN vendor_subscriptions v ON v.id = a.vendor_subscription_id
       JOIN license_changes c ON c.vendor_subscription_id = v.id`,
    ),
  ).toEqual([
    {
      id: 'workspace-suite-1',
      vendor: 'google-workspace',
      account: 'default',
      at: 'S-1',
      observed: new Date('2026-11-20T13:07:00Z'),
      change: '1',
    },
  ])
  const ours = "SELECT vendor_subscription_id AS id FROM license_changes WHERE asset_id = 'workspace-suite-2'"
  expect(await as('sunbird', ours)).toEqual([{ id: null }])
})

test('invoices keep their ids as numbers, and what we numbered ourselves is a summary', async () => {
  await migrateUpTo('0025_few-customers')
  await addCustomer('sunbird')
  await as(
    'sunbird',
    "INSERT INTO billing_profiles (customer_id, id, name) VALUES ('sunbird', 'default', 'Sunbird')",
  )
  for (const id of ['IN-1', '2026-09-1a2b3c4d'])
    await as(
      'sunbird',
      `INSERT INTO invoices (customer_id, id, billing_profile_id, platform, issuer, invoice_date, due_date, currency,
         total_amount, balance_amount)
       VALUES ('sunbird', $1, 'default', 'web-services', 'AWS', '2026-09-30', '2026-10-30', 'USD', 10.25, 3)`,
      [id],
    )
  await migrate(url)
  const state = { document_state: 'issued', balance_amount: '3', is_history: false }
  expect(
    await as(
      'sunbird',
      'SELECT number, is_numbered, form, document_state, balance_amount, is_history FROM invoices ORDER BY id DESC',
    ),
  ).toEqual([
    { number: 'IN-1', is_numbered: true, form: 'invoice', ...state },
    { number: '2026-09-1a2b3c4d', is_numbered: false, form: 'summary', ...state },
  ])
})

test('invoices get the parties of the settings that they find, as new ones of the same settings do', async () => {
  await migrateUpTo('0026_documents')
  for (const customer of ['sunbird', 'northwind']) {
    await addCustomer(customer)
    await as(
      customer,
      "INSERT INTO billing_profiles (customer_id, id, name, address) VALUES ($1, 'default', $1 || ' AG', 'Kai 1'), ($1, 'unused', 'U', null)",
      [customer],
    )
  }
  await as('sunbird', "INSERT INTO issuers (customer_id, name, iban) VALUES ('sunbird', 'Alpha', 'CH93')")
  const add = (customer: string, id: string, issuer: string) =>
    as(
      customer,
      `INSERT INTO invoices (customer_id, id, number, billing_profile_id, platform, issuer, invoice_date, due_date,
         currency, total_amount, balance_amount)
       VALUES ($1, $2, $2, 'default', 'web-services', $3, '2026-10-01', '2026-10-31', 'USD', 1, 1)`,
      [customer, id, issuer],
    )
  await add('sunbird', 'A', 'Alpha')
  await add('sunbird', 'B', 'Beta')
  await add('northwind', 'A', 'Alpha')
  await migrate(url)
  const contents = `SELECT i.id, s.content AS seller, b.content AS buyer FROM invoices i
    JOIN parties s ON s.id = i.seller_id JOIN parties b ON b.id = i.buyer_id ORDER BY i.id`
  const buyer = { name: 'sunbird AG', address: 'Kai 1' }
  expect(await as('sunbird', contents)).toEqual([
    { id: 'A', seller: { name: 'Alpha', iban: 'CH93' }, buyer },
    { id: 'B', seller: { name: 'Beta' }, buyer },
  ])
  expect(await as('northwind', contents)).toMatchObject([{ seller: { name: 'Alpha' } }])
  expect(await as('sunbird', 'SELECT count(*)::int AS count FROM parties')).toEqual([{ count: 3 }])
  const before = await as('sunbird', 'SELECT seller_id, buyer_id FROM invoices ORDER BY id')
  const owner = { customerId: 'sunbird' as CustomerId }
  await client.query("SELECT set_config('console.customer', 'sunbird', false)")
  const partiesOf = await freezeParties(drizzle(client), owner.customerId, [
    { issuer: 'Alpha', billingProfileId: 'default' },
    { issuer: 'Beta', billingProfileId: 'default' },
  ])
  expect(['Alpha', 'Beta'].map((issuer) => partiesOf({ issuer, billingProfileId: 'default' }))).toEqual(
    before.map((row) => ({ sellerId: row.seller_id, buyerId: row.buyer_id })),
  )
})

test('issued invoices that are there have their sums, of each customer apart', async () => {
  await migrateUpTo('0027_frozen-parties')
  for (const customer of ['sunbird', 'northwind']) {
    await addCustomer(customer)
    await as(customer, "INSERT INTO billing_profiles (customer_id, id, name) VALUES ($1, 'default', $1)", [
      customer,
    ])
    await as(customer, "INSERT INTO parties (customer_id, id, content) VALUES ($1, 'p', '{}')", [customer])
  }
  const add = (
    customer: string,
    id: string,
    { total, balance, state = 'issued' }: { total: number; balance: number; state?: string },
  ) =>
    as(
      customer,
      `INSERT INTO invoices (customer_id, id, number, document_state, billing_profile_id, platform, issuer, invoice_date,
         due_date, currency, total_amount, balance_amount, seller_id, buyer_id)
       VALUES ($1, $2, $2, $3, 'default', 'web-services', 'AWS', '2026-09-30', '2026-10-30', 'USD', $4, $5, 'p', 'p')`,
      [customer, id, state, total, balance],
    )
  await add('sunbird', 'OPEN', { total: 10.25, balance: 3 })
  await add('sunbird', 'PAID', { total: 7, balance: 0 })
  await add('sunbird', 'CREDIT', { total: -2, balance: -2 })
  await add('sunbird', 'DRAFT', { total: 5, balance: 0, state: 'draft' })
  await add('northwind', 'OPEN', { total: 1, balance: 1 })
  await migrate(url)
  const sums = `SELECT month::text, due_date::text, count, total, balance, credit_count AS credits FROM invoice_sums ORDER BY due_date`
  const month = '2026-09-01'
  expect(await as('sunbird', sums)).toEqual([
    { month, due_date: '2026-10-30', count: 1, total: '10.25', balance: '3', credits: 0 },
    { month, due_date: null, count: 2, total: '5', balance: '-2', credits: 1 },
  ])
  expect(await as('northwind', sums)).toMatchObject([{ count: 1, total: '1' }])
})

test('members get their person, and so do those that the release before adds; until then they sign in', async () => {
  await migrateUpTo('0036_audit-by-time')
  for (const customer of ['sunbird', 'northwind']) await addCustomer(customer)
  const add = (customer: string, email: string, hash: string | null = null) =>
    as(
      customer,
      "INSERT INTO members (customer_id, id, email, name, roles, password_hash) VALUES ($1, $2, $2, 'Ana', '{admin}', $3)",
      [customer, email, hash],
    )
  const email = 'ana@sunbird.example'
  await add('sunbird', email, await hashPassword('correct horse battery'))
  await add('sunbird', 'ben@sunbird.example')
  await migrate(url)
  await add('northwind', email.toUpperCase())
  const people = 'SELECT person_id AS person FROM members ORDER BY id'
  const opened = openDatabase(url)
  try {
    expect(await as('sunbird', people)).toEqual([{ person: null }, { person: null }])
    expect(await signInFrom({ email, password: 'correct horse battery' })).toMatch(/^[\w-]{43}$/)
    const [ana, ben] = await as('sunbird', people)
    expect([await as('northwind', people), ben]).toEqual([[ana], { person: null }])
    const customerId = 'sunbird' as CustomerId
    const filled = await scope({ customerId }, (tx) =>
      memberPeople.batch(tx, customerId, { after: null, most: 10 }),
    )
    expect(filled).toEqual({ count: 2, last: null })
    expect(await as('sunbird', people)).toEqual([ana, { person: expect.any(String) }])
  } finally {
    await opened.close()
  }
})

test('issuers in two spellings stay as they are, and are one for whoever asks', async () => {
  await migrateUpTo('0068_chain-links')
  await addCustomer('sunbird')
  await as(
    'sunbird',
    "INSERT INTO billing_profiles (customer_id, id, name) VALUES ('sunbird', 'default', 'S')",
  )
  await as('sunbird', "INSERT INTO parties (customer_id, id, content) VALUES ('sunbird', 'p', '{}')")
  await as(
    'sunbird',
    "INSERT INTO issuers (customer_id, name, bank) VALUES ('sunbird', 'Microsoft', 'A'), ('sunbird', 'MICROSOFT', 'B')",
  )
  for (const [id, issuer] of [
    ['INV-1', 'MICROSOFT'],
    ['microsoft:INV-1', 'Microsoft'],
  ])
    await as(
      'sunbird',
      `INSERT INTO invoices (customer_id, id, number, billing_profile_id, platform, issuer, invoice_date, due_date,
         currency, total_amount, balance_amount, seller_id, buyer_id, created_at)
       VALUES ('sunbird', $1, 'INV-1', 'default', 'office-suite', $2, '2026-09-30', '2026-10-30', 'USD', 70, 70, 'p',
         'p', $3)`,
      [id, issuer, id === 'INV-1' ? '2026-01-01' : '2026-01-02'],
    )
  await migrate(url)
  expect(await as('sunbird', 'SELECT id, issuer, balance_amount AS owed FROM invoices ORDER BY id')).toEqual([
    { id: 'INV-1', issuer: 'MICROSOFT', owed: '70' },
    { id: 'microsoft:INV-1', issuer: 'Microsoft', owed: '70' },
  ])
  await client.query("SELECT set_config('console.customer', 'sunbird', false)")
  const customerId = 'sunbird' as CustomerId
  const names = await issuerNames(drizzle(client), customerId)
  expect(names.spellingsOf('microsoft')).toEqual(['MICROSOFT', 'Microsoft'])
  expect(await listDuplicates(drizzle(client), customerId)).toEqual([
    expect.objectContaining({ keep: 'INV-1', duplicate: 'microsoft:INV-1', because: 'same number' }),
  ])
})
