import { appendFile, mkdtemp, readdir, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { addEvent } from '#lib/platform/history/test-rows.ts'
import { publishChainHeads } from '#lib/server/audit/chain-heads.ts'
import { commandLine } from '../test-command.ts'

let db: TestDatabase
let folder: string
let customer: string
let owner: pg.Client
beforeAll(async () => {
  db = await testDatabase()
  folder = await mkdtemp(join(tmpdir(), 'audit-'))
  owner = new pg.Client({ connectionString: db.url })
  await owner.connect()
  vi.stubEnv('AUDIT_SECRET', 'a secret of 32 characters and more')
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await owner.end()
  await db.close()
})
beforeEach(async () => {
  customer = await addNewCustomer()
  vi.stubEnv('AUDIT_HEADS_DIR', join(folder, customer))
  for (const subject of ['K1', 'K2', 'K3']) await addEvent(customer, { subject })
})

const { admin } = commandLine(() => db.url, tmpdir())
const audit = async (args: string, more: string[] = []) => {
  const { code, out, err } = await admin(`audit ${args} --customer ${customer}`, '', more)
  return { code, out, err }
}

/** Runs queries as the database's owner, without row-level security and triggers. */
async function tamper(...queries: string[]) {
  const tables = ['audit_events', 'audit_chain', 'audit_heads']
  for (const table of tables) await owner.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`)
  for (const query of queries) await owner.query(query, [customer])
  for (const table of tables) await owner.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`)
}

describe('the history', () => {
  test('is listed, optionally by kind, and exported with its digests', async () => {
    await addEvent(customer, { action: 'notices.set', subject: 'ap@a.example', details: { kinds: ['due'] } })
    const all = await audit('list --json')
    expect(JSON.parse(all.out).map(({ subject }: { subject: string }) => subject)).toEqual([
      'ap@a.example',
      'K3',
      'K2',
      'K1',
    ])
    const some = await audit('list --kind notices')
    expect(some.out).toMatch(
      /^at .*\n.* notices\.set {2}ap@a\.example {2}Ana Ruiz {2}192\.0\.2\.7 .*due.*\n$/,
    )
    const lines = (await audit('export --format jsonl')).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ place }) => place)).toEqual([4, 3, 2, 1])
    expect(lines[0]).toMatchObject({ action: 'notices.set', digest: expect.stringMatching(/^[0-9a-f]{64}$/) })
    const file = join(folder, customer, 'new', 'history.jsonl')
    expect(await audit('export --format jsonl', ['--to', file])).toEqual({ code: 0, out: '', err: '' })
    expect((await readFile(file, 'utf8')).match(/\n/g)).toHaveLength(lines.length)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const csv = (await audit('export')).out.split('\r\n')
    expect(csv[0]).toContain('time,action,subject')
    expect(csv).toHaveLength(6)
    expect(await audit('list --kind weather')).toMatchObject({ code: 2 })
    expect(await audit('list --most 0')).toMatchObject({ code: 2 })
  })
})

describe('verify', () => {
  test('counts events of an older release that are not chained yet, and prune keeps them', async () => {
    const old = `INSERT INTO audit_events (customer_id, at, action, subject, actor_kind, actor_id, actor_name, request_id, details)
      VALUES ($1, now() - interval '20 months', 'thing.done', 'K0', 'member', 'M1', 'Ana', 'r', '{}')`
    customer = await addNewCustomer()
    // Before the other tests: a process caches that a backfill is finished.
    await owner.query("UPDATE backfills SET finished_at = NULL, at_customer = '' WHERE name = 'audit-chain'")
    await addEvent(customer, { at: new Date(Date.now() - 600 * 86_400_000) })
    await db.sql(customer, old, [customer])
    const { code, out } = await audit('verify')
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('; 1 more of an older release are not chained yet'),
    ])
    expect((await audit('prune')).err).toContain(`${customer} is not chained to its end yet`)
    await owner.query('UPDATE backfills SET finished_at = now()')
  })

  test('reports a valid chain, and names broken events', async () => {
    expect(await audit('verify')).toMatchObject({
      code: 0,
      out: `${customer}: verified (3 events, 1 to 3; no signed head)\n`,
    })
    await tamper("UPDATE audit_events SET actor_name = 'Nobody' WHERE customer_id = $1 AND subject = 'K2'")
    const { code, out } = await audit('verify')
    expect([code, out]).toEqual([1, expect.stringContaining('EDITED at place 2')])
  })

  test('needs neither a secret nor a folder for one without signed heads', async () => {
    vi.stubEnv('AUDIT_HEADS_DIR', '')
    vi.stubEnv('AUDIT_SECRET', '')
    vi.stubEnv('DATA_DIR', '/dev/null/none')
    try {
      expect(await audit('verify')).toMatchObject({ code: 0, out: expect.stringContaining('no signed head') })
    } finally {
      vi.stubEnv('AUDIT_SECRET', 'a secret of 32 characters and more')
      vi.stubEnv('DATA_DIR', undefined)
    }
  })

  test('detects a removed end by the signed head, from a folder or a file, with only the public key', async () => {
    expect(await audit('heads')).toMatchObject({ code: 0, out: expect.stringContaining('"seq":3') })
    const key = (await audit('heads --public-key')).out.trim()
    await tamper(
      "DELETE FROM audit_events WHERE customer_id = $1 AND subject = 'K3'",
      'DELETE FROM audit_chain WHERE customer_id = $1 AND seq = 3',
      'UPDATE audit_heads h SET seq = 2, digest = c.digest FROM audit_chain c WHERE h.customer_id = $1 AND c.customer_id = $1 AND c.seq = 2',
    )
    const expected = { code: 1, out: expect.stringContaining('REMOVED: the events at place 3 are gone') }
    expect(await audit('verify')).toMatchObject(expected)
    vi.stubEnv('AUDIT_SECRET', 'of somebody else, 32 characters and more')
    const [name = ''] = await readdir(join(folder, customer))
    const file = join(folder, customer, name)
    expect(await audit(`verify --heads ${file} --public-key ${key}`)).toMatchObject(expected)
    // Our own key has changed: no trusted key has signed that line.
    const outcome = await audit('verify')
    expect(outcome).toMatchObject({
      code: 1,
      err: expect.stringContaining('Not signed by a trusted key: 1 line of the heads'),
    })
    vi.stubEnv('AUDIT_SECRET', 'a secret of 32 characters and more')
    await appendFile(file, `${(await readFile(file, 'utf8')).replace('"seq":3', '"seq":2')}`)
    expect((await audit('verify')).err).toContain('Not signed by a trusted key: 1 line of the heads')
  })

  test('detects a removed end whose head was set back by the heads next to the data, without any setting', async () => {
    vi.stubEnv('AUDIT_HEADS_DIR', undefined)
    vi.stubEnv('DATA_DIR', join(folder, `data-of-${customer}`))
    await publishChainHeads('job-1', new AbortController().signal)
    expect(await readdir(join(folder, `data-of-${customer}`, 'audit-heads'))).toHaveLength(1)
    await tamper(
      "DELETE FROM audit_events WHERE customer_id = $1 AND subject = 'K3'",
      'DELETE FROM audit_chain WHERE customer_id = $1 AND seq = 3',
      'UPDATE audit_heads h SET seq = 2, digest = c.digest FROM audit_chain c WHERE h.customer_id = $1 AND c.customer_id = $1 AND c.seq = 2',
    )
    expect(await audit('verify')).toMatchObject({
      code: 1,
      out: expect.stringContaining('REMOVED: the events at place 3 are gone'),
    })
    vi.stubEnv('DATA_DIR', undefined)
  })

  test('detects a rewritten chain, and names the heads around the rewrite', async () => {
    await audit('heads')
    await addEvent(customer, { subject: 'K4' })
    await addEvent(customer, { subject: 'K5' })
    await audit('heads')
    // An attacker with access to the program: removes the last two events and adds two others through the application.
    await tamper(
      "DELETE FROM audit_events WHERE customer_id = $1 AND subject IN ('K4', 'K5')",
      'DELETE FROM audit_chain WHERE customer_id = $1 AND seq > 3',
      'UPDATE audit_heads h SET seq = 3, digest = c.digest FROM audit_chain c WHERE h.customer_id = $1 AND c.customer_id = $1 AND c.seq = 3',
    )
    await addEvent(customer, { subject: 'K4' })
    await addEvent(customer, { subject: 'K6' })
    const { code, out } = await audit('verify')
    expect([code, out]).toEqual([1, expect.stringContaining('REWRITTEN: the events at positions 4 to 5')])
  })
})

test('The job logs the head of each chain with new events, once', async () => {
  const exportedChain = async () => {
    await publishChainHeads('job-1', new AbortController().signal)
    const [name] = await readdir(join(folder, customer)).catch(() => [])
    const lines = name ? (await readFile(join(folder, customer, name), 'utf8')).trim().split('\n') : []
    return lines.map((line) => JSON.parse(line)).filter((chainHead) => chainHead.customer === customer)
  }
  expect((await exportedChain()).map(({ seq }) => seq)).toEqual([3])
  expect((await exportedChain()).map(({ seq }) => seq)).toEqual([3])
  await addEvent(customer)
  expect((await exportedChain()).map(({ seq }) => seq)).toEqual([3, 4])
})

describe('prune', () => {
  const ago = (months: number) => new Date(Date.now() - months * 31 * 86_400_000)

  test('removes whole months and no single events, and the chain verifies on', async () => {
    customer = await addNewCustomer()
    for (const months of [9, 8, 7, 2, 1]) await addEvent(customer, { at: ago(months), subject: `K${months}` })
    await audit('heads')
    expect((await audit('prune --months 4 --dry-run')).out).toContain('3 events')
    expect(await audit('prune --months 4')).toMatchObject({
      code: 0,
      out: expect.stringContaining('place 3'),
    })
    const left = await db.sql(customer, 'SELECT subject, action FROM audit_events ORDER BY at, id')
    expect(left.map(({ subject }) => subject)).toEqual(['K2', 'K1', customer])
    expect(left[2]).toMatchObject({ action: 'history.closed' })
    expect((await audit('verify')).out).toContain('verified (3 events, 4 to 6; 1 signed head)')
    expect(await audit('prune --months 4')).toEqual({ code: 0, out: '', err: '' })
    expect(await audit('prune --months 1')).toMatchObject({ code: 2 })
  })

  test('leaves a chain that does not verify', async () => {
    await addEvent(customer, { at: ago(20) })
    customer = await addNewCustomer()
    for (const months of [20, 19]) await addEvent(customer, { at: ago(months) })
    await tamper("UPDATE audit_events SET subject = 'K8' WHERE customer_id = $1")
    const { code, err } = await audit('prune')
    expect([code, err]).toEqual([1, expect.stringContaining(`${customer} does not verify`)])
    expect(await db.sql(customer, 'SELECT FROM audit_events')).toHaveLength(2)
  })

  test('is the only way: even the owner can’t remove events younger than a month', async () => {
    const removed = await owner.query('DELETE FROM audit_events WHERE customer_id = $1', [customer])
    const links = await owner.query('DELETE FROM audit_chain WHERE customer_id = $1', [customer])
    await expect(owner.query("UPDATE audit_events SET subject = 'K8'")).resolves.toMatchObject({
      rowCount: 0,
    })
    expect([removed.rowCount, links.rowCount]).toEqual([0, 0])
  })
})
