import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import type { Transaction } from './client.ts'
import { deferToCommit } from './prepared-queries.ts'
import { readScope, scopeOfMany } from './scope.ts'
import { type TestDatabase, testDatabase } from './test-database.ts'
import { addCustomer } from './test-rows.ts'

const [ALDER, BIRCH] = [newCustomerId('alder'), newCustomerId('birch')]
const PROFILES = 'SELECT customer_id FROM billing_profiles'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  for (const id of ['alder', 'birch']) await addCustomer(id)
})
afterAll(() => database.close())

const seen = async (tx: Transaction) => (await tx.execute(PROFILES)).rows.map((row) => row.customer_id)
const rename = (name: string) => (tx: Transaction) =>
  tx.execute(`UPDATE billing_profiles SET name = '${name}'`)
const nameOf = async (customer: CustomerId) =>
  (await database.sql(customer, 'SELECT name FROM billing_profiles'))[0]?.name

describe('several customers in one transaction', () => {
  test('each part sees and writes its own customer only, and no rows are visible outside of a part', async () => {
    const transactions: Transaction[] = []
    const rows = await scopeOfMany(async (enter) => [
      await enter(ALDER, (tx) => {
        transactions.push(tx)
        return seen(tx)
      }),
      ...(await Promise.all(transactions.map(seen))),
      await enter(BIRCH, seen),
    ])
    expect(rows).toEqual([['alder'], [], ['birch']])
    await scopeOfMany(async (enter) => {
      await enter(ALDER, rename('first'))
      await enter(BIRCH, rename('second'))
    })
    expect([await nameOf(ALDER), await nameOf(BIRCH)]).toEqual(['first', 'second'])
  })

  test("a part can't write a row of another customer, even by naming that customer", async () => {
    const foreignInsert = "INSERT INTO billing_profiles VALUES ('birch', 'planted', 'planted')"
    const planted = scopeOfMany((enter) => enter(ALDER, (tx) => tx.execute(foreignInsert)))
    await expect(planted).rejects.toMatchObject({ cause: { code: '42501' } })
    const entered = scopeOfMany((enter) =>
      enter(ALDER, (tx) => tx.execute("DELETE FROM billing_profiles WHERE customer_id = 'birch'")),
    )
    await entered.catch(() => {})
    expect(await database.sql('birch', PROFILES)).toEqual([{ customer_id: 'birch' }])
  })

  test('deferred statements of the parts run after all parts, each for its own customer', async () => {
    const insertOf = (customer: string, text: string) => ({
      text: `UPDATE billing_profiles SET tax_id = $2 || (SELECT count(*) FROM customers) WHERE customer_id = $1`,
      values: [customer, text],
    })
    await scopeOfMany(async (enter) => {
      await enter(ALDER, async (tx) => deferToCommit(tx, insertOf(ALDER, 'a')))
      await enter(BIRCH, async (tx) => deferToCommit(tx, insertOf(BIRCH, 'b')))
    })
    for (const [id, taxId] of [
      [ALDER, 'a1'],
      [BIRCH, 'b1'],
    ] as const)
      expect(await database.sql(id, 'SELECT tax_id FROM billing_profiles')).toEqual([{ tax_id: taxId }])
    const failing = scopeOfMany(async (enter) => {
      await enter(ALDER, rename('lost'))
      await enter(BIRCH, async (tx) => deferToCommit(tx, { text: 'SELECT 1 / 0' }, insertOf(BIRCH, 'lost')))
    })
    await expect(failing).rejects.toMatchObject({ cause: { code: '22012' } })
    expect(await nameOf(ALDER)).toBe('first')
    const readOnlyRun = readScope({ customerId: ALDER }, async (tx) =>
      deferToCommit(tx, { text: 'SELECT 1' }),
    )
    await expect(readOnlyRun).rejects.toThrow('only reads')
  })

  test('an error in the second part, or between the parts, rolls the first part back', async () => {
    const before = [await nameOf(ALDER), await nameOf(BIRCH)]
    const failing = scopeOfMany(async (enter) => {
      await enter(ALDER, rename('lost'))
      await enter(BIRCH, () => Promise.reject(new Error('no')))
    })
    await expect(failing).rejects.toThrow('no')
    const between = scopeOfMany(async (enter) => {
      await enter(ALDER, rename('lost'))
      throw new Error('neither')
    })
    await expect(between).rejects.toThrow('neither')
    expect([await nameOf(ALDER), await nameOf(BIRCH)]).toEqual(before)
  })

  test('a connection that served several customers shows nothing of them to the next user', async () => {
    await scopeOfMany((enter) => enter(BIRCH, seen))
    for (const rows of await Promise.all(
      Array.from({ length: 8 }, () => database.opened.app.query(PROFILES)),
    ))
      expect(rows.rows).toEqual([])
  })

  test('customers are processed in order, one at a time', async () => {
    const back = scopeOfMany(async (enter) => {
      await enter(BIRCH, seen)
      await enter(ALDER, seen)
    })
    await expect(back).rejects.toThrow('in the order')
    const inside = scopeOfMany((enter) => enter(ALDER, () => enter(BIRCH, seen)))
    await expect(inside).rejects.toThrow('is left before')
  })
})
