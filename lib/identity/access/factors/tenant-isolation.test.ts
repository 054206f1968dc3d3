import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { database as pools } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { addFactor, consumeCode, listFactors, removeFactors, setCodes } from './store.ts'

const [alder, birch] = ['alder', 'birch'] as CustomerId[] as [CustomerId, CustomerId]
let database: TestDatabase
let [both, other, personId, otherId] = ['', '', '', '']
const app = (factorScope: string | null, whose = personId) => ({
  personId: whose,
  reach: factorScope,
  name: 'App',
  kind: 'totp' as const,
  secret: 'sealed',
  lastStep: 1,
})
const within = <T>(id: CustomerId, fn: Parameters<typeof scope<T>>[1]) => scope({ customerId: id }, fn)

beforeAll(async () => {
  database = await testDatabase()
  for (const id of [alder, birch]) await addCustomer(id)
  const email = 'both@alder.example'
  both = await addMember(alder, { roles: ['admin'], email })
  await addMember(birch, { roles: ['admin'], email })
  other = await addMember(birch, { roles: ['admin'], email: 'stranger@birch.example' })
  const idOf = async (member: string) =>
    String(
      (await database.sql(birch, 'SELECT person_id AS id FROM members WHERE email = $1', [member]))[0]?.id,
    )
  personId = await idOf(email)
  otherId = await idOf('stranger@birch.example')
  await within(birch, async (tx) => {
    await addFactor(tx, app(birch))
    await addFactor(tx, app(null, otherId))
    await setCodes(tx, personId, birch, ['AAAA-BBBB-CCCC-DDDD'])
    await setCodes(tx, otherId, null, ['EEEE-BBBB-CCCC-DDDD'])
  })
  await within(alder, (tx) => addFactor(tx, app(null)))
})
afterAll(() => database.close())

const TABLES = ['second_factors', 'recovery_codes'] as const
const secrets = {
  second_factors: ['secret', 'public_key', 'credential', 'counter', 'last_step'],
  recovery_codes: ['digest'],
}

describe('within the scope of a customer', () => {
  it.each(TABLES)(
    'rows of %s are invisible that count only at another customer or belong to another person',
    async (table) => {
      const seen = async (customer: string) =>
        (await database.sql(customer, `SELECT person_id, reach FROM ${table}`)).map(
          ({ person_id, reach }) =>
            `${person_id === personId ? 'both' : 'stranger'} ${reach ?? 'everywhere'}`,
        )
      const here = table === 'second_factors' ? ['both everywhere'] : []
      expect(await seen(alder)).toEqual(here)
      expect((await seen(birch)).sort()).toEqual([...here, 'both birch', 'stranger everywhere'].sort())
      expect(await seen('nobody')).toEqual([])
    },
  )

  it.each(TABLES)('secrets of %s are unreadable, whatever their owner', async (table) => {
    for (const column of secrets[table])
      await expect(database.sql(birch, `SELECT ${column} FROM ${table}`)).rejects.toMatchObject({
        code: '42501',
      })
  })

  it('factors of a person who is not a member can’t be removed, used or added', async () => {
    const [code] = await database.sql(birch, 'SELECT id FROM recovery_codes WHERE reach IS NULL')
    await within(alder, async (tx) => {
      expect(await removeFactors(tx, otherId, { reach: null })).toBe(0)
      expect(await removeFactors(tx, personId, { reach: birch })).toBe(0)
      expect(await consumeCode(tx, otherId, String(code?.id))).toBe(false)
    })
    await expect(within(alder, (tx) => addFactor(tx, app(null, otherId)))).rejects.toMatchObject({
      cause: { code: '42501' },
    })
    await expect(within(alder, (tx) => addFactor(tx, app(birch)))).rejects.toMatchObject({
      cause: { code: '42501' },
    })
  })
})

it('each statement by itself isolates the members of other customers', async () => {
  const setRowSecurity = (how: string) =>
    run(database.url, TABLES.map((table) => `ALTER TABLE ${table} ${how} ROW LEVEL SECURITY;`).join(' '))
  await setRowSecurity('DISABLE')
  try {
    const named = (who: string) => within(alder, (tx) => listFactors(tx, alder, who))
    expect((await named(both)).factors.map(({ reach }) => reach)).toEqual([null])
    expect(await named(other)).toEqual({ factors: [], codesLeft: 0 })
  } finally {
    await setRowSecurity('ENABLE')
  }
})

it('the database roles that find callers and due work can’t read factors', async () => {
  for (const pool of ['sessions', 'keys', 'jobs'] as const)
    for (const table of [...TABLES, 'spent_challenges'])
      await expect(pools()[pool].query(`SELECT FROM ${table}`)).rejects.toMatchObject({ code: '42501' })
})
