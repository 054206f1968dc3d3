import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { redeemLink } from '#lib/identity/access/links/redeem.ts'
import { addLink } from '#lib/identity/access/links/store.ts'
import { replacePassword } from '#lib/identity/access/passwords/change.ts'
import { hashPassword } from '#lib/identity/access/passwords/hash.ts'
import { Browser } from '#lib/identity/access/sign-on/test-browser.ts'
import { signInFrom } from '#lib/identity/access/test-sign-in.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import { type NameServer, startNameServer } from '../../../test/fakes/issuers/name-server.ts'
import { type FakeIssuer, startIssuer } from '../../../test/fakes/issuers/provider.ts'
import { signOnAt } from '../../../test/fakes/issuers/walk.ts'
import { commandLine } from '../test-command.ts'
import type { Ended } from '../test-run.ts'

const PASSWORD = 'correct horse battery'
const [alder, birch] = ['alder', 'birch'] as CustomerId[] as [CustomerId, CustomerId]
const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-sign-on-'))
let db: TestDatabase
let issuer: FakeIssuer
let names: NameServer
const { admin } = commandLine(() => db.url, folder)
const signOn = (args: string, input = '') => admin(`sign-on ${args} --customer alder`, input)

beforeAll(async () => {
  db = await testDatabase()
  for (const id of [alder, birch]) await addCustomer(id)
  issuer = await startIssuer()
  names = await startNameServer()
  vi.stubEnv('SIGN_ON_PRIVATE_HOSTS', new URL(issuer.issuer).host)
  vi.stubEnv('SIGN_ON_DNS', names.address)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await Promise.all([issuer.close(), names.close()])
  await db.close()
  rmSync(folder, { recursive: true })
})

const account = (name: string, more: object = {}) => {
  const email = `${name}@alder.example`
  issuer.accounts.set(email, { sub: `sub-${name}`, email, name: `${name} of Alder`, ...more })
  return email
}
const enter = async (email: string, browser = new Browser()) => {
  const { location = '' } = await browser.begin(email)
  const { providerId, query } = await signOnAt(location)
  const led = await browser.comeBack(providerId, query)
  return { led, browser, caller: await browser.caller() }
}
const events = async (action: string) =>
  (
    await db.sql(alder, 'SELECT actor_kind, details FROM audit_events WHERE action = $1 ORDER BY id', [
      action,
    ])
  ).map(({ actor_kind, details }) => [actor_kind, details])
const ofPassword = async (name: string, role: 'admin' | 'it-manager' = 'it-manager') =>
  addMember(alder, {
    ...{ roles: [role], name, email: account(name), passwordHash: await hashPassword(PASSWORD) },
  })

describe('a provider', () => {
  it('is configured, and its secret is displayed nowhere', async () => {
    expectError(await signOn('set'), 'Give its --issuer')
    expectError(
      await signOn(`set --issuer http://login.example --client-id x --secret-file -`, 's'),
      'by https',
    )
    expectError(
      await signOn(`set --issuer https://10.0.0.1 --client-id x --secret-file -`, 's'),
      'private address',
    )
    const options = `--issuer ${issuer.issuer} --client-id ${issuer.clientId} --secret-file -`
    const { code, out } = await signOn(`set ${options}`, `${issuer.clientSecret}\n`)
    expect([code, out]).toEqual([0, expect.stringMatching(/\/auth\/sign-on\/callback\/[\w-]{36}\n$/)])
    const output = await signOn('show --json')
    expect(JSON.parse(output.out)).toMatchObject([
      {
        name: 'default',
        issuer: issuer.issuer,
        state: 'on',
        passwords: 'allowed',
        joinRoles: [],
        mappings: [],
      },
    ])
    const rows = await db.opened.signIn.query('SELECT * FROM identity_providers').catch(() => undefined)
    expect(rows).toBeUndefined()
    const stored = await db.opened.signIn.query('SELECT client_secret FROM identity_providers')
    const outputs = JSON.stringify([output, await events('identity-provider.set'), stored.rows])
    expect(outputs).not.toContain(issuer.clientSecret)
    await expect(db.sql(alder, 'SELECT client_secret FROM identity_providers')).rejects.toMatchObject({
      code: '42501',
    })
    expect((await signOn('test')).out).toContain('PKCE with S256    yes')
  })

  it('serves a domain once a DNS record proves it, for its own customer only', async () => {
    const { out } = await signOn('domains add Alder.Example')
    const [, name = '', text = ''] = /^(\S+)\. TXT "(.+)"\n$/.exec(out) ?? []
    expect(await new Browser().begin('ana@alder.example')).toEqual({ kind: 'none' })
    expectError(await signOn('domains verify alder.example'), 'no TXT record')
    names.records.set(name, ['something else', text.slice(0, -1)])
    expectError(await signOn('domains verify alder.example'), 'no TXT record')
    names.records.set(name, ['something else', text])
    expect(await signOn('domains verify alder.example')).toMatchObject({ code: 0 })
    expect(await new Browser().begin('ana@ALDER.example')).toMatchObject({ kind: 'to-issuer' })
    expect(await events('sign-on-domain.proven')).toEqual([['operator', { by: 'dns' }]])

    await admin('sign-on set --customer birch --client-id x --secret-file - --issuer', 's', [issuer.issuer])
    await admin('sign-on domains add alder.example --customer birch')
    const result = await admin('sign-on domains confirm alder.example --customer birch')
    expectError(result, 'Another customer has alder.example already')
    expectError(await signOn('domains add nowhere'), 'is no domain')
    expectError(await signOn('domains verify other.example'), 'was not added')
  })
})

describe('a user known to the issuer', () => {
  it('is not a member before an invitation, and joins where just-in-time joining is on', async () => {
    const email = account('new')
    expect((await enter(email)).led).toBe('/sign-in?sign-on=no-member')
    await signOn('set --join finance-user')
    const { led, caller } = await enter(email)
    expect([led, caller]).toMatchObject([
      '/',
      { email, name: 'new of Alder', roles: ['finance-user'], customerId: alder },
    ])
    expect((await enter(email)).caller?.id).toBe(caller?.id)
    expect(await events('sign-on.bound')).toHaveLength(1)
    await signOn('set --no-join')
    expect((await enter(account('newer'))).led).toBe('/sign-in?sign-on=no-member')
  })

  it('accepts an invitation by it, and enters no membership elsewhere', async () => {
    const email = account('both')
    const roles = ['it-manager'] as ['it-manager']
    const id = await addMember(alder, { roles, email, invitedAt: new Date() })
    await addMember(birch, { roles: ['admin'], email, passwordHash: await hashPassword(PASSWORD) })
    const { led, caller, browser } = await enter(email)
    expect([led, caller?.id, caller?.customerId]).toEqual(['/', id, alder])
    const { choicesOf } = await import('#lib/identity/access/sign-ins/choices.ts')
    expect(await choicesOf(new Headers(browser.headers))).toEqual([])
  })

  it('keeps the membership when the address changes, and the address passes to no other user', async () => {
    const email = account('moved')
    await addMember(alder, { roles: ['it-manager'], email })
    const before = await enter(email)
    issuer.accounts.set(email, { sub: 'somebody-else', email })
    expect((await enter(email)).led).toBe('/sign-in?sign-on=refused')
    const rejections = () => events('sign-on.refused')
    await expect
      .poll(rejections)
      .toContainEqual(['stranger', { issuer: issuer.issuer, reason: 'other-subject' }])
    const now = account('married', { sub: 'sub-moved' })
    expect((await enter(now)).caller?.id).toBe(before.caller?.id)
    expect(await signOn(`release --email ${email}`)).toMatchObject({ code: 0 })
    expect((await enter(email)).caller?.id).toBe(before.caller?.id)
  })

  it('has the roles and billing profiles of the claims, and the last Admin stays Admin', async () => {
    await signOn(
      'set --role-from groups:boss=admin --role-from groups:it:team=it-manager --profile-from groups:eu=default',
    )
    const email = account('mapped', { groups: ['boss', 'eu'] })
    expect((await enter(email)).caller).toMatchObject({ roles: ['admin'], billingProfiles: ['default'] })
    issuer.accounts.set(email, { sub: 'sub-mapped', email, groups: ['it:team'] })
    expect((await enter(email)).caller).toMatchObject({ roles: ['it-manager', 'admin'], billingProfiles: [] })
    await addMember(alder, { roles: ['admin'] })
    expect((await enter(email)).caller?.roles).toEqual(['it-manager'])
    issuer.accounts.set(email, { sub: 'sub-mapped', email, groups: [] })
    expect((await enter(email)).led).toBe('/sign-in?sign-on=refused')
    await signOn('set --no-mapping')
    expect((await enter(email)).caller?.roles).toEqual(['it-manager'])
  })

  it('stays out when disabled here', async () => {
    const id = await ofPassword('gone')
    await admin('members disable --customer alder --email gone@alder.example')
    expect((await enter(account('gone'))).led).toBe('/sign-in?sign-on=refused')
    expect(id).toBeDefined()
  })
})

describe('requiring single sign-on', () => {
  it('is refused before an Admin has used it, and then disables all passwords there', async () => {
    await ofPassword('boss', 'admin')
    expectError(await signOn('require'), 'No Admin of alder has signed in')
    await enter(account('boss'))
    const member = await ofPassword('it')
    const session = await signInFrom({ email: 'it@alder.example', password: PASSWORD })
    expect(session).toHaveLength(43)
    const link = await scope({ customerId: alder }, (tx) =>
      addLink(tx, alder, { memberId: member, kind: 'reset', by: 'operator' }),
    )
    const bySignOn = await enter(account('it'))
    expect(await signOn('require')).toMatchObject({ code: 0 })
    expect((await bySignOn.browser.caller())?.id).toBe(member)
    const left = await db.sql(alder, 'SELECT count(*)::int AS n FROM sessions WHERE member_id = $1', [member])
    expect(left).toEqual([{ n: 1 }])
    expect(await signInFrom({ email: 'it@alder.example', password: PASSWORD })).toBeNull()
    await expect(
      redeemLink({ secret: link.secret, password: 'a new horse battery', isNew: true }),
    ).rejects.toThrow('no longer valid')
    const itself = await bySignOn.browser.caller()
    const change = { currentPassword: PASSWORD, newPassword: 'a new horse battery' }
    await expect(replacePassword(itself as Caller, change, 'r')).rejects.toThrow('there is no password')
    // At other customers the same person's password keeps working.
    expect(await signInFrom({ email: 'both@alder.example', password: PASSWORD })).toHaveLength(43)
    await signOn('off')
    expect(await bySignOn.browser.caller()).toBeUndefined()
    expect(await new Browser().begin('it@alder.example')).toEqual({ kind: 'none' })
    expect(await signInFrom({ email: 'it@alder.example', password: PASSWORD })).toHaveLength(43)
  })
})

function expectError({ code, out, err }: Ended, reason: string, expected = 1) {
  expect([code, out]).toEqual([expected, ''])
  expect(err).toContain(reason)
}
