import { sql } from 'drizzle-orm'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { type Backfill, isFilled } from '#lib/platform/db/backfill.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addProfile } from '#lib/platform/db/test-rows.ts'
import { runBackfills } from './run.ts'
import { listBackfills, openAgain } from './store.ts'

let database: TestDatabase
let owner: pg.Client
beforeEach(async () => {
  database = await testDatabase()
  owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  // Removes the backfills of this release's own migrations.
  await owner.query('DELETE FROM backfills')
})
afterEach(async () => {
  await owner.end()
  await database.close()
})

const PROFILES = ['a', 'b', 'c', 'default', 'e']

/** Adds three customers with five profiles each, and requests a backfill of their names like a migration. */
async function requestBackfill(name = 'names'): Promise<void> {
  for (const customer of ['alder', 'birch', 'cedar']) {
    await addCustomer(customer)
    for (const id of PROFILES) if (id !== 'default') await addProfile(customer, id)
  }
  await owner.query('INSERT INTO backfills (name) VALUES ($1)', [name])
}

/** Returns a backfill that capitalizes the profiles' names, two rows at a time. */
function capitals(before?: (customer: string, after: string | null) => unknown, name = 'names'): Backfill {
  return {
    name,
    async batch(tx, customerId, { after, most }) {
      await before?.(customerId, after)
      const { rows } = await tx.execute<{ id: string }>(sql`
        UPDATE billing_profiles SET name = upper(name) WHERE (customer_id, id) IN (
          SELECT customer_id, id FROM billing_profiles WHERE customer_id = ${customerId}
            AND (${after}::text IS NULL OR id > ${after}) ORDER BY id LIMIT ${Math.min(most, 2)})
        RETURNING id`)
      const ids = rows.map(({ id }) => id).sort()
      return { count: ids.length, last: ids.length < 2 ? null : (ids.at(-1) ?? null) }
    },
  }
}

const filledOf = async (customer: string) =>
  (
    await database.sql(
      customer,
      'SELECT id FROM billing_profiles WHERE customer_id = $1 AND name = upper(name) ORDER BY id',
      [customer],
    )
  ).map(({ id }) => id)

const run = (backfills: Backfill[], signal = new AbortController().signal) =>
  runBackfills({ signal, backfills })
const isDone = (customer: string) => {
  const customerId = newCustomerId(customer)
  return scope({ customerId }, (tx) => isFilled(tx, customerId, 'names'))
}

test('fills each customer in batches, within its scope, and marks itself as finished', async () => {
  await requestBackfill()
  const seen: string[] = []
  expect(await run([capitals((customer, after) => seen.push(`${customer} ${after}`))])).toBe(15)
  expect(seen).toEqual(
    ['alder', 'birch', 'cedar'].flatMap((customer) => [
      `${customer} null`,
      `${customer} b`,
      `${customer} default`,
    ]),
  )
  for (const customer of ['alder', 'birch', 'cedar']) expect(await filledOf(customer)).toEqual(PROFILES)
  expect(await listBackfills()).toMatchObject([
    { name: 'names', atCustomer: 'cedar', afterRow: null, count: 15, finishedAt: expect.any(Date) },
  ])
  // A finished backfill is not run again.
  expect(await run([capitals()])).toBe(0)
})

test('resumes at its position, and reports the finished customers in the meantime', async () => {
  await requestBackfill()
  const stopping = new AbortController()
  const stopAt = capitals((customer, after) => {
    if (customer === 'birch' && after === 'b') stopping.abort()
  })
  await run([stopAt], stopping.signal)
  expect(await listBackfills()).toMatchObject([
    { atCustomer: 'birch', afterRow: 'default', finishedAt: null },
  ])
  expect([await isDone('alder'), await isDone('birch'), await isDone('cedar')]).toEqual([true, false, false])
  const seen: string[] = []
  expect(await run([capitals((customer, after) => seen.push(`${customer} ${after}`))])).toBe(6)
  expect(seen[0]).toBe('birch default')
  expect(await isDone('cedar')).toBe(true)
})

test('a failed batch leaves nothing behind, and does not stop other backfills', async () => {
  await requestBackfill('fails')
  await owner.query("INSERT INTO backfills (name) VALUES ('names')")
  const fails = capitals((customer, after) => {
    if (customer === 'birch' && after === 'b') throw new Error('planted')
  }, 'fails')
  await expect(run([fails, capitals()])).rejects.toMatchObject({ errors: [{ message: 'planted' }] })
  expect(await listBackfills()).toMatchObject([
    { name: 'fails', atCustomer: 'birch', afterRow: 'b', finishedAt: null },
    { name: 'names', finishedAt: expect.any(Date) },
  ])
})

test('a batch that times out is retried with fewer rows', async () => {
  await requestBackfill()
  const tried: number[] = []
  const slow: Backfill = {
    name: 'names',
    async batch(tx, customerId, { most }) {
      tried.push(most)
      await tx.execute(sql`SET LOCAL statement_timeout = 200`)
      if (most > 50) await tx.execute(sql`SELECT pg_sleep(30)`)
      return capitals()
        .batch(tx, customerId, { after: null, most: 1 })
        .then(({ count }) => ({ count, last: null }))
    },
  }
  await run([slow])
  expect(tried.slice(0, 2)).toEqual([200, 50])
})

test('a locked row is waited for', async () => {
  await requestBackfill()
  const holder = await database.opened.app.connect()
  await holder.query("SELECT set_config('console.customer', 'alder', false)")
  await holder.query("BEGIN; SELECT FROM billing_profiles WHERE id = 'a' FOR UPDATE")
  let tries = 0
  const counted = capitals(async () => {
    tries += 1
    if (tries === 2) await holder.query('COMMIT')
  })
  try {
    expect(await run([counted])).toBe(15)
    expect(tries).toBe(10)
  } finally {
    holder.release(true)
  }
})

test('two concurrent processes repeat at most one batch, and one of them continues', async () => {
  await requestBackfill()
  const arrived = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const runs = arrived.map((runIndex, index) => {
    let first = true
    return run([
      capitals(async () => {
        if (!first) return
        first = false
        runIndex.resolve()
        await arrived[1 - index]?.promise
      }),
    ])
  })
  const counts = await Promise.all(runs)
  // The second process's batch of the same rows is not counted.
  expect(counts.reduce((all, count) => all + count, 0)).toBe(15)
  expect(await listBackfills()).toMatchObject([{ count: 15, finishedAt: expect.any(Date) }])
})

describe('a requested backfill', () => {
  test('finishes immediately in a database without customers', async () => {
    await owner.query("INSERT INTO backfills (name) VALUES ('names')")
    expect(await listBackfills()).toMatchObject([{ finishedAt: expect.any(Date), count: 0 }])
  })

  test('is required by a migration that depends on it', async () => {
    await requestBackfill()
    const demand = () => owner.query("SELECT needs_backfill('names')")
    await expect(demand()).rejects.toThrow('The backfill names is not finished. With the release before')
    await run([capitals()])
    await expect(demand()).resolves.toBeDefined()
  })

  test('is left to the later release that requested it', async () => {
    await requestBackfill('of-a-later-release')
    expect(await run([capitals()])).toBe(0)
    expect(await listBackfills()).toMatchObject([{ finishedAt: null }])
  })

  test('restarts from the first row when requested again', async () => {
    await requestBackfill()
    await run([capitals()])
    expect(await openAgain('names')).toBe(true)
    expect(await run([capitals()])).toBe(15)
    expect(await openAgain('nothing')).toBe(false)
  })
})

test('progress is updated only by the role of jobs, which sees no rows', async () => {
  await requestBackfill()
  const { app, jobs } = database.opened
  await expect(app.query('UPDATE backfills SET finished_at = now()')).rejects.toThrow('permission denied')
  await expect(jobs.query("INSERT INTO backfills (name) VALUES ('x')")).rejects.toThrow('permission denied')
  await expect(jobs.query('SELECT name FROM billing_profiles')).rejects.toThrow('permission denied')
})
