import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import { redeemLink } from '../links/redeem.ts'
import { addLink } from '../links/store.ts'
import { hashPassword } from '../passwords/hash.ts'
import { signIn } from '../sign-in.ts'

// An Argon2 computation takes a hundred times as long as everything else before a rejection, so the response time
// depends on the number of computations. The test counts the calls of the library, which does its usual work.
let computed = 0
vi.mock('@node-rs/argon2', async (importActual) => {
  const library = await importActual<typeof import('@node-rs/argon2')>()
  const hash: typeof library.hash = (...args) => {
    computed += 1
    return library.hash(...args)
  }
  return { ...library, hash }
})

const PASSWORD = 'correct horse battery'
let database: TestDatabase
let [email, made] = ['', 0]

beforeAll(async () => {
  database = await testDatabase()
  for (const id of ['alder', 'birch', 'cedar']) await addCustomer(id)
  // The decoy hash is computed with the first attempt.
  await signIn({ email: 'first@x.example', password: PASSWORD }, { address: '', userAgent: '', cookies: '' })
})
afterAll(() => database.close())
beforeEach(() => {
  email = `ana.${++made}@alder.example`
})

const join = async (customer: string, more: object = {}) =>
  addMember(customer, {
    ...{ roles: ['it-manager'], email, name: 'Ana', passwordHash: await hashPassword(PASSWORD) },
    ...more,
  })
const nothing = { passwordHash: null, invitedAt: new Date() }
/** Accepts an invitation with a new password. */
async function accept(customer: string, password: string) {
  const customerId = customer as CustomerId
  const memberId = await join(customer, nothing)
  const { secret } = await scope({ customerId }, (tx) =>
    addLink(tx, customerId, { memberId, kind: 'invitation', by: 'operator' }),
  )
  await redeemLink({ secret, password, isNew: true })
}

describe('exactly one Argon2 computation rejects', () => {
  it.each<[string, () => unknown]>([
    ['an address that nobody has', () => {}],
    ['a member of one customer', () => join('alder')],
    ['one who is disabled everywhere', () => join('alder', { disabledAt: new Date() })],
    [
      'one who is disabled elsewhere',
      () => Promise.all([join('alder'), join('birch', { disabledAt: new Date() })]),
    ],
    ['one who has not come yet', () => join('alder', nothing)],
    [
      'a member of three customers with three passwords',
      async () => {
        await join('alder')
        await accept('birch', 'a birch horse battery')
        await accept('cedar', 'a cedar horse battery')
      },
    ],
  ])('%s', async (_, arrange) => {
    await arrange()
    computed = 0
    const outcome = await signIn(
      { email, password: 'wrong wrong wrong' },
      { address: '', userAgent: '', cookies: '' },
    )
    expect([outcome, computed]).toEqual([{ kind: 'refused' }, 1])
  })
})
