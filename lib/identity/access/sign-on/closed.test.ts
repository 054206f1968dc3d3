import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { addMember as addAgain, setDisabled, setRemoved } from '#lib/identity/members/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { type HostileIssuer, startHostile } from '../../../../test/fakes/issuers/hostile.ts'
import { hashPassword } from '../passwords/hash.ts'
import { signInFrom } from '../test-sign-in.ts'
import { Browser, goThrough, setUp } from './test-browser.ts'

// The issuer signs claims for any person of the test, who is an Admin by them.

let database: TestDatabase
let issuer: HostileIssuer
let [customerId, providerId] = ['' as CustomerId, '']
let made = 0
let browser = new Browser()

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
  browser = new Browser()
  customerId = `own-${++made}` as CustomerId
  await addCustomer(customerId)
  const mappings = [{ claim: 'groups', value: 'admins', role: 'admin' as const }]
  const provider = { issuer: issuer.issuer, joinRoles: ['it-manager' as const], mappings }
  providerId = await setUp(customerId, `${customerId}.example`, provider)
})

const emailOf = (name: string) => `${name}@${customerId}.example`
function enter(name: string, subject = name) {
  const email = emailOf(name)
  issuer.lie = { claims: { sub: subject, email, email_verified: true, groups: ['admins'] } }
  return goThrough(browser, { email, providerId })
}
const close = () =>
  run(
    database.url,
    `SET console.operated = '${customerId}';
     UPDATE customers SET closed_at = now(), gone_at = now() + interval '30 days' WHERE id = '${customerId}'`,
  )
const members = () => database.sql(customerId, 'SELECT email, roles, invited_at FROM members ORDER BY email')

describe('single sign-on at a closed customer', () => {
  it('rejects a newcomer with a page that shows the reason, and adds no member', async () => {
    await close()
    expect(await enter('new')).toBe('/sign-in?sign-on=closed')
    expect([await members(), await browser.caller()]).toEqual([[], undefined])
  })

  it('rejects an invited member who has not accepted', async () => {
    await addMember(customerId, { roles: ['it-manager'], email: emailOf('ana'), invitedAt: new Date() })
    await close()
    expect(await enter('ana')).toBe('/sign-in?sign-on=closed')
    expect(await members()).toMatchObject([{ invited_at: expect.any(Date) }])
  })

  it('lets a member sign in to read, with unchanged roles', async () => {
    await addMember(customerId, { roles: ['it-manager'], email: emailOf('ana') })
    await close()
    for (const _ of ['the first time', 'again']) expect(await enter('ana')).toBe('/')
    expect(await browser.caller()).toMatchObject({ roles: ['it-manager'] })
    expect(await members()).toMatchObject([{ roles: ['it-manager'] }])
  })

  it('applies claims again after the customer is reopened', async () => {
    await addMember(customerId, { roles: ['it-manager'], email: emailOf('ana') })
    expect(await enter('ana')).toBe('/')
    expect(await members()).toMatchObject([{ roles: ['admin'] }])
  })
})

describe('a removed member', () => {
  it('is not found by their subject once another person has the address', async () => {
    const id = await addMember(customerId, { roles: ['it-manager'], email: emailOf('ana') })
    expect(await enter('ana', 'the leaver')).toBe('/')
    await scope({ customerId }, async (tx) => {
      await setDisabled(tx, customerId, id, true)
      await setRemoved(tx, customerId, id)
      const again = { email: emailOf('ana'), name: 'Another Ana', roles: [], addedBy: 'Directory' }
      expect(await addAgain(tx, customerId, again)).toBe(id)
    })
    browser = new Browser()
    // The former member's account has another address now, and the newcomer's has this one.
    expect(await enter('ana.former', 'the leaver')).toBe('/')
    expect((await browser.caller())?.id).not.toBe(id)
    browser = new Browser()
    expect(await enter('ana', 'the newcomer')).toBe('/')
    expect(await browser.caller()).toMatchObject({ id, name: 'Another Ana' })
  })

  it('opens nothing with the former password once another person signs in by single sign-on', async () => {
    const credentials = { email: emailOf('ana'), password: 'correct horse battery' }
    const id = await addMember(customerId, { roles: ['it-manager'], email: credentials.email })
    const hash = await hashPassword(credentials.password)
    await run(
      database.url,
      `UPDATE people SET password_hash = '${hash}' WHERE email = '${credentials.email}'`,
    )
    expect(await signInFrom(credentials)).toEqual(expect.any(String))
    await scope({ customerId }, async (tx) => {
      await setDisabled(tx, customerId, id, true)
      await setRemoved(tx, customerId, id)
      await addAgain(tx, customerId, {
        email: credentials.email,
        name: 'Another Ana',
        roles: [],
        addedBy: 'Directory',
      })
    })
    expect(await enter('ana', 'the newcomer')).toBe('/')
    expect(await signInFrom(credentials)).toBeNull()
  })
})
