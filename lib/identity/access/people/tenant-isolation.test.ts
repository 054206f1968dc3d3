import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { recoverBy } from '../links/recoveries.ts'
import { addLink, consumeLink, listOpenLinks, withdrawLinks } from '../links/store.ts'
import { setPersonHash } from '../passwords/set.ts'

const [alder, birch] = ['alder', 'birch'] as CustomerId[] as [CustomerId, CustomerId]
let database: TestDatabase
let [both, other, link] = ['', '', '']

beforeAll(async () => {
  database = await testDatabase()
  for (const id of [alder, birch]) await addCustomer(id)
  const email = 'both@alder.example'
  both = await addMember(alder, { roles: ['admin'], email })
  await addMember(birch, { roles: ['admin'], email })
  other = await addMember(birch, { roles: ['admin'], email: 'stranger@birch.example' })
  await scope({ customerId: birch }, (tx) =>
    addLink(tx, birch, { memberId: other, kind: 'reset', by: 'operator' }),
  )
  const [row] = await database.sql(birch, 'SELECT id FROM account_links')
  link = String(row?.id)
})
afterAll(() => database.close())

const peopleIn = async (customer: string) => (await database.sql(customer, 'SELECT id FROM people')).length
const setRowSecurity = (tables: string[], how: 'ENABLE' | 'DISABLE') =>
  run(database.url, tables.map((table) => `ALTER TABLE ${table} ${how} ROW LEVEL SECURITY;`).join(' '))
/** Tries to use birch's links in the scope of alder; `as` is the customer id in the statements. */
const attempts = (as: CustomerId) =>
  scope({ customerId: alder }, async (tx) => {
    await withdrawLinks(tx, as, other)
    return [(await listOpenLinks(tx, as)).length, await consumeLink(tx, as, link)]
  })
const isOpen = async () =>
  (await database.sql(birch, 'SELECT FROM account_links WHERE used_at IS NULL AND withdrawn_at IS NULL'))
    .length

describe('links of another customer', () => {
  it('are isolated by each statement by itself', async () => {
    await setRowSecurity(['account_links'], 'DISABLE')
    expect(await attempts(alder)).toEqual([0, false])
    await setRowSecurity(['account_links'], 'ENABLE')
    expect(await isOpen()).toBe(1)
  })

  it('are isolated by row-level security by itself', async () => {
    expect(await attempts(birch)).toEqual([0, false])
    expect(await isOpen()).toBe(1)
  })
})

it('a recovery is consumed only in the scope of its person’s customers', async () => {
  const add = `INSERT INTO recoveries (email, person_id, digest, expires_at)
    SELECT email, person_id, email, now() + interval '1 hour' FROM members WHERE id = $1 RETURNING id`
  const { rows } = await database.opened.signIn.query(add, [other])
  const recover = (customerId: CustomerId) => scope({ customerId }, (tx) => recoverBy(tx, rows[0]?.id))
  expect(await recover(alder)).toBe(false)
  expect(await database.sql(alder, 'SELECT id FROM recoveries')).toEqual([])
  expect([await recover(birch), await recover(birch)]).toEqual([true, false])
})

describe('people', () => {
  it('are visible to customers where they are members, and only by id', async () => {
    expect([await peopleIn(alder), await peopleIn(birch)]).toEqual([1, 2])
    expect(await peopleIn('nobody')).toBe(0)
    await expect(database.sql(alder, 'SELECT email FROM people')).rejects.toMatchObject({ code: '42501' })
    await expect(database.sql(alder, 'SELECT person_id FROM members')).resolves.toHaveLength(1)
  })

  it('can’t get a password in the scope of a customer that they do not belong to', async () => {
    const [row] = await database.sql(birch, 'SELECT person_id AS id FROM members WHERE id = $1', [other])
    const set = scope({ customerId: alder }, (tx) => setPersonHash(tx, String(row?.id), 'guessed'))
    await expect(set).rejects.toThrow('in the scope of one of their customers')
  })

  it('can’t be reassigned by a statement that changes a member', async () => {
    const [row] = await database.sql(birch, 'SELECT person_id AS id FROM members WHERE id = $1', [other])
    const steal = sql`UPDATE members SET person_id = ${row?.id} WHERE customer_id = ${alder} AND id = ${both}`
    await scope({ customerId: alder }, (tx) => tx.execute(steal))
    expect(await peopleIn(alder)).toBe(1)
    expect(await database.sql(alder, 'SELECT FROM people WHERE id = $1', [row?.id])).toEqual([])
  })

  it('follow the address of their member', async () => {
    await scope({ customerId: alder }, (tx) =>
      tx.execute(
        sql`UPDATE members SET email = 'Other@alder.example' WHERE customer_id = ${alder} AND id = ${both}`,
      ),
    )
    const email = 'SELECT p.email FROM people p JOIN members m ON m.person_id = p.id WHERE m.id = $1'
    expect((await database.opened.signIn.query(email, [both])).rows).toEqual([
      { email: 'Other@alder.example' },
    ])
  })
})
