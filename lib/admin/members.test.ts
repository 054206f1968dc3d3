import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addMember, addNewCustomer, addProfile } from '#lib/platform/db/test-rows.ts'
import { commandLine } from './test-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-members-'))
let db: TestDatabase
const { admin } = commandLine(() => db.url, folder)
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

let customerId = ''
let who = ''
beforeEach(async () => {
  customerId = await addNewCustomer()
  await addProfile(customerId, 'emea')
  await addMember(customerId, { roles: ['admin'], email: `ana@${customerId}.example` })
  who = `--customer ${customerId} --email ana@${customerId}.example`
})

const ana = async () => {
  const rows = await db.sql(
    customerId,
    'SELECT roles, billing_profiles AS profiles, disabled_at IS NOT NULL AS disabled FROM members WHERE email = $1',
    [`ana@${customerId}.example`],
  )
  return rows[0]
}
const history = () =>
  db.sql(
    customerId,
    "SELECT action, actor_kind AS kind, details FROM audit_events WHERE action LIKE 'member.%' ORDER BY id",
  )

describe('members', () => {
  test.each([
    ['disable', ''],
    ['set-roles', ' --role it-manager'],
    ['set-profiles', ' --profile emea'],
  ])('%s refuses the last Admin, and accepts another one', async (command, more) => {
    const before = await ana()
    const result = await admin(`members ${command} ${who}${more}`)
    expect(result).toMatchObject({ code: 1, out: '' })
    expect(result.err).toContain('the last Admin who can sign in')
    expect(await ana()).toEqual(before)
    expect(await history()).toEqual([])
    await addMember(customerId, { roles: ['admin'] })
    expect(await admin(`members ${command} ${who}${more}`)).toMatchObject({ code: 0, out: '' })
  })

  test('reset-factor removes a member’s second factors, and reports where there are none', async () => {
    expect((await admin(`members reset-factor ${who}`)).err).toContain(
      'This member has no two-step verification here.',
    )
    await db.sql(
      customerId,
      `INSERT INTO second_factors (person_id, kind, name, secret) SELECT person_id, 'totp', 'App', 'x' FROM members WHERE email = $1`,
      [`ana@${customerId}.example`],
    )
    expect(await admin(`members reset-factor ${who}`)).toMatchObject({ code: 0, out: '' })
    expect(await db.sql(customerId, 'SELECT id FROM second_factors')).toEqual([])
    expect(
      await db.sql(customerId, "SELECT actor_kind AS kind FROM audit_events WHERE action = 'factors.reset'"),
    ).toEqual([{ kind: 'operator' }])
  })

  test('set-profiles limits a member, and takes the limit away', async () => {
    await addMember(customerId, { roles: ['admin'] })
    expect(await admin(`members set-profiles ${who} --profile emea --profile default`)).toMatchObject({
      code: 0,
    })
    expect((await ana())?.profiles).toEqual(['emea', 'default'])
    const { err } = await admin(`members set-profiles ${who} --all`)
    expect(err).toContain('sees all billing profiles')
    expect((await ana())?.profiles).toBeNull()
    expect(await history()).toMatchObject([
      { action: 'member.changed', kind: 'operator', details: { from: 'all', to: ['emea', 'default'] } },
      { action: 'member.changed', details: { changed: 'billingProfiles', to: 'all' } },
    ])
  })

  test.each([
    ['', 'Give the billing profiles', 2],
    [' --all --profile emea', 'Give the billing profiles', 2],
    [' --profile asia', '"asia" is no billing profile', 1],
  ])('set-profiles%s is refused', async (more, reason, code) => {
    const result = await admin(`members set-profiles ${who}${more}`)
    expect([result.code, result.err]).toEqual([code, expect.stringContaining(reason)])
    expect((await ana())?.profiles).toBeNull()
  })

  test('add limits to profiles, and list shows pending members', async () => {
    const add = `members add --customer ${customerId} --email cleo@${customerId}.example --name Cleo --role finance-user`
    const { out, code } = await admin(`${add} --profile emea`)
    expect([code, out]).toEqual([0, expect.stringMatching(/\/invitation\/[\w-]{43}\n$/)])
    const listed = JSON.parse((await admin(`members list --customer ${customerId} --json`)).out)
    expect(listed).toMatchObject([
      { email: `ana@${customerId}.example`, billingProfiles: null, invitedAt: null },
      { email: `cleo@${customerId}.example`, roles: ['finance-user'], billingProfiles: ['emea'] },
    ])
    expect(listed[1].invitedAt).toEqual(expect.any(String))
    expect((await admin(`${add} --profile emea`)).err).toContain('already')
    expect((await history())[0]).toMatchObject({ action: 'member.invited', kind: 'operator' })
  })
})

describe('an operator repairs a company that locked itself out:', () => {
  const only = () => db.sql(customerId, "SELECT email FROM members WHERE roles @> '{admin}' ORDER BY email")

  test('where every Admin is limited, set-profiles --all makes one who sees everything', async () => {
    await db.sql(customerId, "UPDATE members SET billing_profiles = '{emea}'")
    expect((await admin('status')).out).toContain(`none sees all billing profiles at ${customerId}\n`)
    expect(JSON.parse((await admin('status --json')).out).customers).toEqual({
      withoutFullAdmin: [customerId],
    })
    expect(await admin(`members set-profiles ${who} --all`)).toMatchObject({ code: 0 })
    expect(await ana()).toMatchObject({ profiles: null, disabled: false })
    expect((await admin('status')).out).not.toContain('none sees all billing profiles')
  })

  test('where every Admin is disabled, enable lets one sign in again', async () => {
    await db.sql(customerId, 'UPDATE members SET disabled_at = now()')
    expect(await admin(`members enable ${who}`)).toMatchObject({ code: 0 })
    expect(await ana()).toMatchObject({ roles: ['admin'], profiles: null, disabled: false })
  })

  test('where no member is an Admin any more, set-roles makes a member one, and add invites another', async () => {
    await db.sql(customerId, "UPDATE members SET roles = '{}'")
    expect(await admin(`members set-roles ${who} --role admin`)).toMatchObject({ code: 0 })
    const add = `members add --customer ${customerId} --email ben@${customerId}.example --name Ben --role admin`
    expect((await admin(add)).out).toMatch(/\/invitation\/[\w-]{43}\n$/)
    expect(await only()).toEqual([
      { email: `ana@${customerId}.example` },
      { email: `ben@${customerId}.example` },
    ])
  })

  test('where the last Admin forgot the password, reset prints a link', async () => {
    expect((await admin(`members reset ${who}`)).out).toMatch(/\/reset\/[\w-]{43}\n$/)
  })

  test('where passwords are off and the identity provider is down, allow-passwords lets members in', async () => {
    await db.sql(customerId, 'UPDATE customers SET sign_on_only_since = now() WHERE id = $1', [customerId])
    expect(await admin(`sign-on allow-passwords --customer ${customerId}`)).toMatchObject({ code: 0 })
    expect(
      await db.sql(customerId, 'SELECT sign_on_only_since AS since FROM customers WHERE id = $1', [
        customerId,
      ]),
    ).toEqual([{ since: null }])
  })
})
