import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, addInvoice, addKey, addMember } from '#lib/platform/db/test-rows.ts'
import { addSession } from '#lib/platform/db/test-sessions.ts'
import { purgeDeletedCustomers } from '#lib/server/pruning/purge-customers.ts'
import { commandLine } from '../test-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-leaving-'))
let db: TestDatabase
let owner: pg.Client
const { admin } = commandLine(() => db.url, folder)
const NEVER = new AbortController().signal
const PDF = Buffer.from('%PDF-1.7 kept as it is')
const keys: Record<string, string> = {}

beforeAll(async () => {
  db = await testDatabase()
  owner = new pg.Client({ connectionString: db.url })
  await owner.connect()
  for (const id of ['sunbird', 'other']) await fill(id)
})
afterAll(async () => {
  await owner.end()
  await db.close()
  rmSync(folder, { recursive: true })
})

/** Adds rows to each table of a customer. */
async function fill(id: string) {
  await addCustomer(id)
  await addMember(id, { id: `${id}-ana`, roles: ['admin'], passwordHash: `$argon2id$secret-of-${id}` })
  keys[id] = await addKey(id, ['admin'], { issuedBy: `${id}-ana` })
  await addSession(id, `${id}-ana`)
  await addAsset(id, 'workspace-suite-1', { purchased: 5 }, { vendor: 'google-workspace' })
  await addInvoice(id, 'INV-1', { totalAmount: '0.10', balanceAmount: '12345678901234.10' })
  await addInvoice(id, 'INV-2', { documentState: 'voided', balanceAmount: '0', replacedBy: 'INV-1' })
  await db.sql(
    id,
    `INSERT INTO invoice_files (customer_id, invoice_id, kind, name, digest, bytes)
     VALUES ($1, 'INV-1', 'original-pdf', 'Bill 1/2.pdf', $2, $3)`,
    [id, createHash('sha256').update(PDF).digest('hex'), PDF],
  )
  await db.sql(
    id,
    `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, settled_at, actor_kind, actor_id, actor_name, request_id)
     VALUES ($1, 'change', 'workspace-suite-1', 4, 5, 'APPLIED', now(), 'key', 'k', 'k', 'r')`,
    [id],
  )
  await admin(`notices add ap@${id}.example --customer ${id}`)
  await db.sql(
    id,
    `INSERT INTO notice_mails (customer_id, recipient_id, told_on, state)
     SELECT customer_id, id, '2026-11-01', 'SENT' FROM notice_recipients`,
  )
  await db.sql(
    id,
    "INSERT INTO seat_readings (customer_id, asset_id, purchased, assigned) VALUES ($1, 'workspace-suite-1', 5, 4)",
    [id],
  )
  await admin(`members add --customer ${id} --email ben@${id}.example --name Ben --role it-manager`)
  for (const scopeId of [id, null])
    await db.sql(
      id,
      `INSERT INTO second_factors (person_id, reach, kind, name, secret)
       SELECT person_id, $2, 'totp', 'App', 'sealed' FROM members WHERE email = $1`,
      [`ben@${id}.example`, scopeId],
    )
}
const scopes = async () =>
  (await db.opened.signIn.query('SELECT reach FROM second_factors WHERE reach IS NOT NULL')).rows.map(
    ({ reach }) => reach,
  )

const linesOf = (path: string) =>
  readFileSync(join(folder, path), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
const tables = async () => {
  const { rows } = await owner.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'customer_id'
     WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace AND NOT a.attisdropped ORDER BY 1`,
  )
  return rows.map(({ name }) => name)
}
/** Begins a transaction of the owner, scoped to the rows of a customer by SET LOCAL on each node. */
const operateOn = (customer: string) =>
  owner.query(`BEGIN; SET LOCAL console.operated = ${pg.escapeLiteral(customer)}`)
const counted = async (customer: string) => {
  await operateOn(customer)
  const counts: Record<string, number> = {}
  for (const table of await tables()) {
    const { rows } = await owner.query(`SELECT count(*)::int AS count FROM ${table} WHERE customer_id = $1`, [
      customer,
    ])
    if (rows[0].count > 0) counts[table] = rows[0].count
  }
  await owner.query('COMMIT')
  return counts
}
const setRemovalTime = async (customer: string) => {
  await operateOn(customer)
  await owner.query("UPDATE customers SET gone_at = now() - interval '1 second' WHERE id = $1", [customer])
  await owner.query('COMMIT')
}

describe('an export', () => {
  test('contains all data of one customer, with exact amounts, in a private folder', async () => {
    const { code, out, err } = await admin('customers export sunbird --to out')
    expect([code, out, err]).toEqual([
      0,
      'out\n',
      expect.stringMatching(/^sunbird: \d+ files with \d+ rows, of .*Z\.\n$/),
    ])
    expect(statSync(join(folder, 'out')).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'out/invoices.jsonl')).mode & 0o777).toBe(0o600)
    expect(linesOf('out/customers.jsonl')).toMatchObject([{ id: 'sunbird', domain: 'sunbird.example' }])
    expect(linesOf('out/invoices.jsonl')).toMatchObject([
      { id: 'INV-1' },
      { id: 'INV-2', replaced_by: 'INV-1' },
    ])
    expect(readFileSync(join(folder, 'out/invoices.jsonl'), 'utf8')).toContain(
      '"balance_amount":12345678901234.10',
    )
    expect(linesOf('out/members.jsonl').map(({ id }) => id)).toContain('sunbird-ana')
    expect(linesOf('out/audit_chain.jsonl')[0].digest).toMatch(/^[0-9a-f]{64}$/)
    expect(readFileSync(join(folder, 'out/files/INV-1.original-pdf.Bill%201%2F2.pdf'))).toEqual(PDF)
    const { files, ...manifest } = JSON.parse(readFileSync(join(folder, 'out/manifest.json'), 'utf8'))
    expect(manifest).toMatchObject({ customer: 'sunbird', name: 'sunbird' })
    for (const { name, sha256, bytes } of files) {
      const content = readFileSync(join(folder, 'out', name))
      expect([name, createHash('sha256').update(content).digest('hex'), content.length]).toEqual([
        name,
        sha256,
        bytes,
      ])
    }
    const names = files.map(({ name }: { name: string }) => name.replace('.jsonl', ''))
    const counts = await counted('sunbird')
    for (const table of [
      'assets',
      'seat_readings',
      'license_changes',
      'vendor_subscriptions',
      'line_items',
      'parties',
      'api_keys',
      'notice_subscriptions',
      'audit_events',
    ])
      if (counts[table]) expect(names).toContain(table)
  })

  test('contains no secret, digest of a secret or session, and no data of another customer', async () => {
    const { rows } = await db.opened.keys.query("SELECT digest FROM api_keys WHERE customer_id = 'sunbird'")
    const all = readdirSync(join(folder, 'out'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
      .join('\n')
    await operateOn('sunbird')
    const links = await owner.query("SELECT digest FROM account_links WHERE customer_id = 'sunbird'")
    await owner.query('COMMIT')
    expect(links.rows).toHaveLength(1)
    for (const secret of [
      'argon2',
      keys.sunbird,
      rows[0].digest,
      digestOf(keys.sunbird ?? ''),
      links.rows[0].digest,
    ])
      expect(all).not.toContain(secret)
    expect(existsSync(join(folder, 'out/sessions.jsonl'))).toBe(false)
    expect(all).not.toContain('other.example')
  })

  test('is recorded in the history, and does not overwrite a folder', async () => {
    const [event] = await db.sql(
      'sunbird',
      "SELECT details FROM audit_events WHERE action = 'customer.exported'",
    )
    expect(event?.details).toMatchObject({ rows: expect.any(Number), files: expect.any(Number) })
    expect(await admin('customers export sunbird --to out')).toMatchObject({
      code: 1,
      err: expect.stringContaining('is there already'),
    })
    expect(await admin('customers export sunbird --to out/manifest.json/no/place')).toMatchObject({
      code: 1,
      err: expect.stringContaining('ENOTDIR'),
    })
    expect(await admin('customers export nobody --to new')).toMatchObject({ code: 1 })
    expect(existsSync(join(folder, 'new'))).toBe(false)
  })

  test('of a customer with thousands of rows is written in portions', async () => {
    await addCustomer('large')
    await db.sql(
      'large',
      `INSERT INTO billing_profiles (customer_id, id, name) SELECT 'large', 'p' || n, repeat('x', 100)
       FROM customers c, generate_series(1, 2500) n WHERE c.id = 'large'`,
    )
    expect((await admin('customers export large --to large')).code).toBe(0)
    const ids = linesOf('large/billing_profiles.jsonl').map(({ id }) => id)
    expect([ids.length, new Set(ids).size]).toEqual([2501, 2501])
  })
})

describe('a customer whose time is over', () => {
  test("is not removed by a process without access to the database's owner", async () => {
    await admin('customers close large')
    await admin('customers export large --to large-again')
    await setRemovalTime('large')
    vi.stubEnv('MIGRATE_AT_START', '0')
    expect(await purgeDeletedCustomers('job', NEVER, db.url)).toBe(0)
    vi.stubEnv('MIGRATE_AT_START', '')
    expect(await counted('large')).toMatchObject({ billing_profiles: 2501 })
    expect(await admin('customers remove-gone --dry-run')).toMatchObject({
      code: 0,
      out: '',
      err: 'large would be removed.\n',
    })
    expect(await admin('customers remove-gone')).toMatchObject({ code: 0, out: 'large\n' })
    expect(await counted('large')).toEqual({})
  })

  test('stays until it was exported after its closing', async () => {
    await admin('customers close sunbird')
    await setRemovalTime('sunbird')
    const before = await counted('sunbird')
    expect(await purgeDeletedCustomers('job', NEVER, db.url)).toBe(0)
    expect(await admin('customers remove-gone')).toMatchObject({
      code: 1,
      err: expect.stringContaining('not removed: sunbird.'),
    })
    expect(await counted('sunbird')).toEqual(before)
  })

  test('is removed completely after the export, and other customers stay', async () => {
    expect(await admin('customers export sunbird --to last')).toMatchObject({
      code: 0,
      err: expect.stringContaining('its rows are removed when its time is over'),
    })
    const others = await counted('other')
    expect(Object.keys(await counted('sunbird')).length).toBeGreaterThan(15)
    const chain = linesOf('last/audit_chain.jsonl').at(-1)
    expect(await purgeDeletedCustomers('job', NEVER, db.url)).toBe(1)
    expect(await counted('sunbird')).toEqual({})
    expect(await counted('other')).toEqual(others)
    expect(await scopes()).not.toContain('sunbird')
    expect(await scopes()).toContain('other')
    const { rows } = await db.opened.jobs.query("SELECT * FROM former_customers WHERE id = 'sunbird'")
    // The export's own event is later than the export's snapshot.
    expect(rows).toMatchObject([
      { id: 'sunbird', chain_seq: String(chain.seq + 1), closed_at: expect.any(Date) },
    ])
    expect((await admin('customers list')).out).not.toContain('sunbird')
    expect(await purgeDeletedCustomers('job', NEVER, db.url)).toBe(0)
  })

  test('keeps its id reserved', async () => {
    const command = 'customers add --id sunbird --name New --domain new.example --contact-email a@new.example'
    expect(await admin(command)).toMatchObject({
      code: 1,
      err: expect.stringContaining('was a customer that is gone'),
    })
  })
})

describe('the database refuses to remove a customer', () => {
  test('by a login that serves requests: it cannot mark a customer as closed, past its retention and exported', async () => {
    const customerId = newCustomerId('other')
    for (const column of ['closed_at', 'gone_at', 'exported_at', 'merged_into'])
      await expect(
        scope({ customerId }, (tx) => tx.execute(`UPDATE customers SET ${column} = NULL WHERE id = 'other'`)),
      ).rejects.toMatchObject({ cause: { code: '42501' } })
    for (const pool of ['jobs', 'keys', 'sessions', 'signIn', 'reads'] as const)
      await expect(
        db.opened[pool].query("UPDATE customers SET gone_at = now() WHERE id = 'other'"),
      ).rejects.toThrow()
    for (const table of ['audit_events', 'audit_chain', 'customers', 'former_customers'])
      await expect(scope({ customerId }, (tx) => tx.execute(`DELETE FROM ${table}`))).rejects.toMatchObject({
        cause: { code: '42501' },
      })
  })
})
