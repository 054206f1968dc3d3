import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { type HostileIssuer, startHostile } from '../../../../test/fakes/issuers/hostile.ts'
import { hashPassword } from '../password.ts'
import { Browser, goThrough, setUp } from '../sign-on/test-browser.ts'
import { prove } from './prove.ts'
import { waysOf } from './ways.ts'

const PASSWORD = 'correct horse battery'
let database: TestDatabase
let issuer: HostileIssuer
let own = '' as CustomerId
beforeAll(async () => {
  database = await testDatabase()
  issuer = await startHostile()
  vi.stubEnv('SIGN_ON_PRIVATE_HOSTS', new URL(issuer.issuer).host)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await issuer.close()
  await database.close()
})
beforeEach(async () => {
  own = (await addNewCustomer()) as CustomerId
})

/** Somebody who signs in by the issuer. */
async function bySignOn(passwordHash: string | null) {
  const email = `ana@${own}.example`
  await addMember(own, { roles: ['admin'], email, passwordHash })
  const providerId = await setUp(own, `${own}.example`, { issuer: issuer.issuer })
  issuer.lie = { claims: { sub: own, email } }
  const browser = new Browser()
  await goThrough(browser, { email, providerId })
  const caller = await browser.caller()
  if (!caller) throw new Error('Nobody is signed in.')
  return caller
}
const byPassword = { by: 'password', password: PASSWORD } as const

describe('to confirm who they are is offered', () => {
  it('single sign-on alone, to a member without a password', async () => {
    const caller = await bySignOn(null)
    expect(await waysOf(caller)).toEqual({ password: false, factor: true, signOn: true })
    await expect(prove(caller, byPassword)).rejects.toThrow('is not your password')
  })

  it('both, to one who has a password, until the customer turns passwords off', async () => {
    const caller = await bySignOn(await hashPassword(PASSWORD))
    expect(await waysOf(caller)).toEqual({ password: true, factor: true, signOn: true })
    await prove(caller, byPassword)
    await database.sql(own, 'UPDATE customers SET sign_on_only_since = now() WHERE id = $1', [own])
    expect(await waysOf(caller)).toEqual({ password: false, factor: false, signOn: true })
    await expect(prove(caller, byPassword)).rejects.toThrow('is not your password')
  })

  it('the password alone, where no issuer has opened the session', async () => {
    const caller = await bySignOn(await hashPassword(PASSWORD))
    expect(await waysOf({ ...caller, session: 'another' })).toMatchObject({ password: true, signOn: false })
  })
})
