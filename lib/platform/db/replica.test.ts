import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { asOwnerOf } from '#lib/server/pruning/as-owner.ts'
import { type Database, openDatabase } from './client.ts'
import { emptyFolder } from './embedded/test-cluster.ts'
import { type Embedded, startEmbedded } from './embedded.ts'
import { migrate } from './migrate.ts'
import type { Replica } from './replica.ts'
import { readScope, readScopeAtOnce, scope, scopeOfMany, streamScope } from './scope.ts'
import { addCustomer, callerOf } from './test-rows.ts'
import { run } from './test-servers/test-server.ts'
import { type Standby, startStandby } from './test-servers/test-standby.ts'

const HOUR = 3_600_000

let root: string
let primary: Embedded
let owner: pg.Client
let standby: Standby
let opened: Database
let ana: Caller
let eve: Caller

beforeAll(async () => {
  root = await emptyFolder()
  primary = await startEmbedded(join(root, 'own'))
  await migrate(primary.url)
  standby = await startStandby({ folder: join(root, 'own'), url: primary.url }, join(root, 'standby'))
  opened = openDatabase(primary.url, { url: standby.url, mostBehind: HOUR })
  owner = new pg.Client({ connectionString: primary.url })
  await owner.connect()
  for (const id of ['northwind', 'southwind']) await addCustomer(id)
  ana = await callerOf('northwind', 'admin')
  eve = await callerOf('southwind', 'admin')
  await follow()
})
afterAll(async () => {
  await owner.end()
  await opened.close()
  await standby.stop()
  await primary.release()
  await rm(root, { recursive: true, force: true })
})
afterEach(follow)

const replica = (database = opened) => database.replica as Replica

/** Waits until the replica has all writes up to now, and this process knows. */
async function follow() {
  await standby.resume()
  await standby.catchUp()
  await replica().refresh()
  expect(replica().unavailability()).toBeUndefined()
}

const NAME = 'SELECT name, pg_is_in_recovery() AS "isOld" FROM billing_profiles'
const seen = async (caller: Caller) =>
  (await readScope(caller, (tx) => tx.execute(NAME), { mayBeOld: true })).rows[0]
const rename = (caller: Caller, name: string) =>
  scope(caller, (tx) => tx.execute(`UPDATE billing_profiles SET name = '${name}'`))
/** Renames by hand: no version is replaced. */
const renameUnseen = (name: string) => owner.query('UPDATE billing_profiles SET name = $1', [name])

it('a customer’s own writes are visible to each kind of read, and other customers may see old rows', async () => {
  await renameUnseen('first')
  await follow()
  await standby.pause()
  await renameUnseen('second')
  await rename(ana, 'third')
  expect(await seen(eve)).toEqual({ name: 'first', isOld: true })
  expect(await seen(ana)).toEqual({ name: 'third', isOld: false })
  const atOnce = (caller: Caller) =>
    readScopeAtOnce(caller, (tx) => tx.execute(NAME), { mayBeOld: true }).then(({ rows }) => rows[0])
  expect([await atOnce(eve), await atOnce(ana)]).toMatchObject([{ isOld: true }, { isOld: false }])
  const streamed = async (caller: Caller) => {
    const pieces = streamScope(caller, async function* (tx) {
      yield (await tx.execute(NAME)).rows[0]
    })
    return (await Array.fromAsync(pieces))[0]
  }
  expect([await streamed(eve), await streamed(ana)]).toMatchObject([{ isOld: true }, { isOld: false }])
  await follow()
  expect(await seen(ana)).toEqual({ name: 'third', isOld: true })
  expect(await seen(eve)).toEqual({ name: 'second', isOld: true })
})

it('reads that decide something never use the replica', async () => {
  const { rows } = await readScope(eve, (tx) => tx.execute(NAME))
  expect(rows).toMatchObject([{ isOld: false }])
})

it('a write by another process is visible, too, and a write of several customers to each of them', async () => {
  await standby.pause()
  const other = openDatabase(primary.url, { url: standby.url, mostBehind: HOUR })
  await rename(ana, 'from elsewhere')
  await other.close()
  expect(await seen(ana)).toEqual({ name: 'from elsewhere', isOld: false })
  expect(await seen(eve)).toMatchObject({ isOld: true })
  await scopeOfMany(async (enter) => {
    for (const { customerId } of [ana, eve])
      await enter(customerId, (tx) => tx.execute("UPDATE billing_profiles SET name = 'all'"))
  })
  expect([await seen(ana), await seen(eve)]).toEqual(Array(2).fill({ name: 'all', isOld: false }))
})

it('a write by a process without the replica is visible, and one by the owner’s commands', async () => {
  await standby.pause()
  const other = openDatabase(primary.url)
  await rename(ana, 'by another setting')
  await other.close()
  expect(await seen(ana)).toEqual({ name: 'by another setting', isOld: false })
  expect(await seen(eve)).toMatchObject({ isOld: true })
  await asOwnerOf(primary.url, { alone: [eve.customerId] }, async ({ write }) => {
    await write("UPDATE billing_profiles SET name = 'by a command' WHERE customer_id = 'southwind'")
  })
  expect(await seen(eve)).toEqual({ name: 'by a command', isOld: false })
})

it('a write by a process of the previous release is visible', async () => {
  await standby.pause()
  await opened.app.query(
    `BEGIN; SET LOCAL console.customer = 'northwind'; SELECT enter_to_write('northwind');
     UPDATE billing_profiles SET name = 'previous'; COMMIT`,
  )
  expect(await seen(ana)).toEqual({ name: 'previous', isOld: false })
})

it('is not read in the first minute of a day, in which its clock may be in the day before', async () => {
  const setTime = (time: string) =>
    owner.query(`
    CREATE SCHEMA IF NOT EXISTS clock;
    GRANT USAGE ON SCHEMA clock TO PUBLIC;
    CREATE OR REPLACE FUNCTION clock.now() RETURNS timestamptz STABLE RETURN timestamptz '2026-11-25 ${time}Z';
    ALTER ROLE console_keys SET search_path = clock, pg_catalog, public`)
  const isOldAt = async (time: string) => {
    await setTime(time)
    const reopened = openDatabase(primary.url, { url: standby.url, mostBehind: HOUR })
    try {
      await replica(reopened).refresh()
      return (await seen(eve))?.isOld
    } finally {
      await reopened.close()
    }
  }
  expect([await isOldAt('23:59:59'), await isOldAt('00:00:59'), await isOldAt('00:01')]).toEqual([
    true,
    false,
    true,
  ])
  await owner.query('ALTER ROLE console_keys RESET search_path; DROP SCHEMA clock CASCADE')
})

it('a write that was uncommitted during the replica’s check is visible once committed', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const written = Promise.withResolvers<void>()
  const slow = scope(ana, async (tx) => {
    await tx.execute("UPDATE billing_profiles SET name = 'slow'")
    written.resolve()
    await promise
  })
  await written.promise
  await renameUnseenOf('southwind')
  await follow()
  expect(await seen(ana)).toMatchObject({ isOld: true })
  await standby.pause()
  resolve()
  await slow
  expect(await seen(ana)).toEqual({ name: 'slow', isOld: false })
})

const renameUnseenOf = (id: string) =>
  owner.query('UPDATE billing_profiles SET name = $1 WHERE customer_id = $2', ['later', id])

it('a transaction without writes, or rolled back, keeps reads on the replica', async () => {
  await standby.pause()
  await scope(ana, (tx) => tx.execute(NAME))
  const thrown = scope(ana, async (tx) => {
    await tx.execute("UPDATE billing_profiles SET name = 'lost'")
    throw new Error('no')
  })
  await expect(thrown).rejects.toThrow('no')
  expect(await seen(ana)).toMatchObject({ isOld: true })
})

it('a read that is cancelled by replay is repeated on the primary', async () => {
  await addCustomer('westwind')
  const joe = await callerOf('westwind', 'admin')
  await follow()
  let runs = 0
  const count = (tx: { execute(text: string): Promise<{ rows: unknown[] }> }) =>
    tx.execute('SELECT pg_is_in_recovery() AS "isOld", count(*)::int AS n FROM billing_profiles')
  const read = await readScope(
    joe,
    async (tx) => {
      const { rows } = await count(tx)
      if (runs++ > 0) return rows
      await owner.query("DELETE FROM billing_profiles WHERE customer_id = 'westwind'")
      await owner.query('VACUUM billing_profiles')
      // Until replay conflicts with the vacuum.
      for (;;) await count(tx)
    },
    { mayBeOld: true },
  )
  expect(read).toEqual([{ isOld: false, n: 0 }])
  expect(runs).toBe(2)
})

it('an invalid statement is not repeated', async () => {
  let runs = 0
  const wrong = readScope(
    eve,
    (tx) => {
      runs++
      return tx.execute('SELECT 1 / 0')
    },
    { mayBeOld: true },
  )
  await expect(wrong).rejects.toMatchObject({ cause: { code: '22012' } })
  expect(runs).toBe(1)
})

it('an export is repeated if nothing was sent yet, and cut otherwise', async () => {
  const PID = 'SELECT pg_backend_pid() AS pid, pg_is_in_recovery() AS "isOld"'
  const pieces = (first: boolean) =>
    streamScope(eve, async function* (tx) {
      const { isOld, pid } = (await tx.execute(PID)).rows[0] as { isOld: boolean; pid: number }
      if (first) yield isOld
      if (isOld) await run(standby.url, `SELECT pg_terminate_backend(${pid}, 1000)`)
      yield (await tx.execute(PID)).rows[0]?.isOld
    })
  expect(await Array.fromAsync(pieces(false))).toEqual([false])
  await follow()
  const cut = pieces(true)
  expect((await cut.next()).value).toBe(true)
  await expect(cut.next()).rejects.toThrow()
  await follow()
})

it('a replica that lags too far is not used until it has caught up', async () => {
  const strict = openDatabase(primary.url, { url: standby.url, mostBehind: 1000 })
  const refreshReplica = () => replica(strict).refresh()
  try {
    await expect
      .poll(async () => (await refreshReplica()) ?? (await seen(eve)))
      .toMatchObject({ isOld: true })
    await standby.pause()
    await renameUnseen('newer')
    await expect.poll(refreshReplica).toBe('behind')
    expect(await seen(eve)).toEqual({ name: 'newer', isOld: false })
    await standby.resume()
    await expect
      .poll(async () => (await refreshReplica()) ?? (await seen(eve)))
      .toEqual({ name: 'newer', isOld: true })
  } finally {
    await strict.close()
  }
})

it('an unreachable replica costs no read, and is used again when it is back', async () => {
  await standby.stop()
  expect(await seen(eve)).toMatchObject({ isOld: false })
  expect(replica().unavailability()).toBe('away')
  expect(await replica().refresh()).toBe('away')
  const back = await startEmbedded(join(root, 'standby'))
  try {
    await expect.poll(() => replica().refresh()).toBeUndefined()
    expect(await seen(eve)).toMatchObject({ isOld: true })
    const there = new pg.Client({ connectionString: back.url })
    await there.connect()
    await there.query('SELECT pg_promote()')
    await there.end()
    expect(await replica().refresh()).toBe('other')
    expect(await seen(eve)).toMatchObject({ isOld: false })
  } finally {
    await back.release()
    await rm(join(root, 'standby'), { recursive: true, force: true })
    standby = await startStandby({ folder: join(root, 'own'), url: primary.url }, join(root, 'standby'))
  }
})
