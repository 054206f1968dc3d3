import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { findKeyCaller } from '#lib/platform/caller/authenticate.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { findSessionCaller } from '#lib/platform/caller/session.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addKey, addMember, addNewCustomer, addProfile } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { addSession } from '#lib/platform/db/test-sessions.ts'
import { callApi, cookieOf, type Headers, signedIn } from './test-calls.ts'

let database: TestDatabase
beforeAll(async () => {
  vi.stubEnv('BASE_URL', 'http://console.example')
  database = await testDatabase()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.close()
})

let customerId = ''
let admin: Headers
const id = { admin: '', ben: '' }
beforeEach(async () => {
  customerId = await addNewCustomer()
  await addProfile(customerId, 'emea')
  id.admin = await addMember(customerId, { roles: ['admin'], name: 'Ada Min' })
  id.ben = await addMember(customerId, {
    roles: ['it-manager'],
    name: 'Ben Ito',
    email: `ben@${customerId}.example`,
  })
  admin = await signedIn(customerId, id.admin)
})

const invitation = (values: object = {}) => ({
  email: `cleo@${customerId}.example`,
  name: 'Cleo Marsh',
  roles: ['finance-user'],
  billingProfiles: ['emea'],
  ...values,
})
const history = () =>
  database.sql(
    customerId,
    "SELECT action, subject, actor_name AS by, details FROM audit_events WHERE action ~ '^(member|invitation|reset)' ORDER BY id",
  )

describe('an invitation', () => {
  it('adds an invited member, and returns the link once', async () => {
    const { status, json, headers } = await callApi(admin, 'POST', '', invitation())
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    const { member, link } = json
    expect(member).toMatchObject({
      name: 'Cleo Marsh',
      roles: ['finance-user'],
      billingProfiles: ['emea'],
      state: 'invited',
      addedBy: 'Ada Min',
      inviteExpireTime: link.expireTime,
    })
    expect(link.url).toMatch(/^http:\/\/console\.example\/invitation\/[\w-]{43}$/)
    expect(Math.abs(link.expireTime - Date.now() - 7 * 86_400_000)).toBeLessThan(60_000)
    const read = await callApi(admin, 'GET', `/${member.id}`)
    expect(read.json).toEqual(member)
    expect(JSON.stringify((await callApi(admin, 'GET', '')).json)).not.toContain(link.url.split('/').at(-1))
    expect(await history()).toMatchObject([
      {
        action: 'member.invited',
        subject: member.id,
        by: 'Ada Min',
        details: { email: `cleo@${customerId}.example`, roles: ['finance-user'], profiles: ['emea'] },
      },
    ])
    expect(JSON.stringify(await history())).not.toContain(link.url.split('/').at(-1))
  })

  it('mails the link where a mail server is configured, and does not return it', async () => {
    vi.stubEnv('SMTP_URL', 'smtp://127.0.0.1:9')
    vi.stubEnv('MAIL_FROM', 'billing@reseller.example')
    try {
      const { json } = await callApi(admin, 'POST', '', invitation())
      expect(json.link).toEqual({
        kind: 'invitation',
        expireTime: json.member.inviteExpireTime,
        sentTo: `cleo@${customerId}.example`,
      })
      expect(json.member.inviteMail).toBe('waiting')
      await database.sql(customerId, "UPDATE account_links SET state = 'REFUSED'")
      expect((await callApi(admin, 'GET', `/${json.member.id}`)).json.inviteMail).toBe('refused')
    } finally {
      vi.stubEnv('SMTP_URL', '')
      vi.stubEnv('MAIL_FROM', '')
    }
  })

  it('is rejected for a member of this customer, ignoring case, and leaves nothing behind', async () => {
    const { status, json } = await callApi(
      admin,
      'POST',
      '',
      invitation({ email: `BEN@${customerId}.example` }),
    )
    expect([status, json.code, json.errors[0].pointer]).toEqual([409, 'member_exists', '/email'])
    await callApi(admin, 'POST', '', invitation())
    expect((await callApi(admin, 'POST', '', invitation())).json.code).toBe('member_exists')
    expect(await history()).toHaveLength(1)
  })

  it('answers for a member of another customer like for any other address', async () => {
    const other = await addNewCustomer()
    const email = `known@${other}.example`
    await addMember(other, { roles: ['admin'], email })
    const response = await callApi(admin, 'POST', '', invitation({ email }))
    const strange = await callApi(admin, 'POST', '', invitation({ email: `strange@${other}.example` }))
    const shape = ({ status, json: { member, link } }: typeof response) => [
      status,
      { ...member, id: '', email: '', createTime: 0, inviteExpireTime: 0 },
      Object.keys(link),
    ]
    expect(shape(response)).toEqual(shape(strange))
    expect(response.status).toBe(200)
  })

  it.each([
    [{ email: 'no address' }, '/email'],
    [{ email: `${'x'.repeat(250)}@a.example` }, '/email'],
    [{ name: ' ' }, '/name'],
    [{ name: 'a\u0000b' }, '/name'],
    [{ name: 'x'.repeat(201) }, '/name'],
    [{ roles: [] }, '/roles'],
    [{ roles: ['boss'] }, '/roles/0'],
    [{ roles: undefined }, '/roles'],
    [{ billingProfiles: ['emea', 'asia'] }, '/billingProfiles/1'],
    [{ billingProfiles: 'emea' }, '/billingProfiles'],
    [{ password: 'x' }, '/password'],
  ])('is rejected for %j at %s', async (values, pointer) => {
    const { status, json } = await callApi(admin, 'POST', '', invitation(values))
    expect([status, json.code, json.errors?.[0]?.pointer]).toEqual([400, 'invalid_request', pointer])
    expect((await callApi(admin, 'GET', '')).json.rowCount).toBe(2)
  })
})

describe('a change', () => {
  it('applies from the next request on, with an audit event for each changed field', async () => {
    const session = await addSession(customerId, id.ben)
    const key = await addKey(customerId, ['it-manager', 'finance-user'], { issuedBy: id.ben })
    const body = { name: 'Benjamin', roles: ['finance-user'], billingProfiles: ['emea'] }
    const { status, json } = await callApi(admin, 'PATCH', `/${id.ben}`, body)
    expect([status, json]).toMatchObject([200, { ...body, state: 'active' }])
    expect(await findSessionCaller(digestOf(session))).toMatchObject({
      roles: ['finance-user'],
      billingProfiles: ['emea'],
      name: 'Benjamin',
    })
    expect(await findKeyCaller(digestOf(key))).toMatchObject({
      roles: ['finance-user'],
      billingProfiles: ['emea'],
    })
    const email = `ben@${customerId}.example`
    expect((await history()).map(({ action, details }) => [action, details])).toEqual([
      ['member.changed', { email, changed: 'name', from: 'Ben Ito', to: 'Benjamin' }],
      ['member.changed', { email, changed: 'roles', from: ['it-manager'], to: ['finance-user'] }],
      ['member.changed', { email, changed: 'billingProfiles', from: 'all', to: ['emea'] }],
    ])
    await callApi(admin, 'PATCH', `/${id.ben}`, body)
    expect(await history()).toHaveLength(3)
    const all = await callApi(admin, 'PATCH', `/${id.ben}`, { billingProfiles: null })
    expect(all.json.billingProfiles).toBeNull()
  })

  it('disables a member with their sessions and keys, and enables them again', async () => {
    const session = await addSession(customerId, id.ben)
    const key = await addKey(customerId, ['it-manager'], { issuedBy: id.ben })
    expect((await callApi(admin, 'PATCH', `/${id.ben}`, { disabled: true })).json.state).toBe('disabled')
    expect(await findSessionCaller(digestOf(session))).toBeUndefined()
    expect(await findKeyCaller(digestOf(key))).toBeUndefined()
    expect((await callApi(admin, 'POST', `/${id.ben}/link`, {})).json.code).toBe('member_disabled')
    expect((await callApi(admin, 'PATCH', `/${id.ben}`, { disabled: false })).json.state).toBe('active')
    expect(await findSessionCaller(digestOf(session))).toBeUndefined()
    expect(await findKeyCaller(digestOf(key))).toBeDefined()
    expect((await history()).map(({ action }) => action)).toEqual(['member.disabled', 'member.enabled'])
  })

  it('is rejected with an outdated ETag, and sign-ins do not change the ETag', async () => {
    const etag = (await callApi(admin, 'GET', `/${id.ben}`)).headers.get('etag') ?? ''
    await database.sql(customerId, 'UPDATE members SET last_sign_in_at = now() WHERE id = $1', [id.ben])
    const matching = { ...admin, 'if-match': etag }
    const changed = await callApi(matching, 'PATCH', `/${id.ben}`, { name: 'Benjamin' })
    expect(changed.status).toBe(200)
    const { status, json } = await callApi(matching, 'PATCH', `/${id.ben}`, { roles: ['finance-user'] })
    expect([status, json.code]).toEqual([412, 'member_changed'])
    const present = { ...admin, 'if-match': changed.headers.get('etag') ?? '' }
    expect((await callApi(present, 'PATCH', `/${id.ben}`, { roles: ['finance-user'] })).status).toBe(200)
  })

  it.each([[{}], [{ roles: [] }], [{ email: 'new@a.example' }], [{ disabled: 'yes' }], [{ name: '' }]])(
    'is rejected for %j',
    async (body) => {
      expect((await callApi(admin, 'PATCH', `/${id.ben}`, body)).status).toBe(400)
      expect(await history()).toEqual([])
    },
  )
})

describe('a new link', () => {
  it('is an invitation for a member who has not accepted, and withdraws the former one', async () => {
    const { member, link } = (await callApi(admin, 'POST', '', invitation())).json
    const again = await callApi(admin, 'POST', `/${member.id}/link`, {})
    expect(again.json).toMatchObject({ kind: 'invitation' })
    expect(again.json.url).not.toBe(link.url)
    expect(again.headers.get('cache-control')).toBe('no-store')
    const open = 'SELECT 1 FROM account_links WHERE withdrawn_at IS NULL AND used_at IS NULL'
    expect(await database.sql(customerId, open)).toHaveLength(1)
    expect((await history()).at(-1)).toMatchObject({ action: 'invitation.made', details: { by: 'link' } })
  })

  it('sets a new password for a member who has accepted', async () => {
    const { json } = await callApi(admin, 'POST', `/${id.ben}/link`, {})
    expect(json).toMatchObject({ kind: 'reset', url: expect.stringMatching(/\/reset\/[\w-]{43}$/) })
    expect(Math.abs(json.expireTime - Date.now() - 30 * 60_000)).toBeLessThan(60_000)
  })
})

describe('a withdrawal', () => {
  it('removes the invitation and the member, and frees the address', async () => {
    const { member } = (await callApi(admin, 'POST', '', invitation())).json
    expect((await callApi(admin, 'DELETE', `/${member.id}/invitation`)).json).toEqual({ withdrawn: true })
    expect((await callApi(admin, 'GET', `/${member.id}`)).status).toBe(404)
    expect(await database.sql(customerId, 'SELECT 1 FROM account_links')).toEqual([])
    expect((await history()).at(-1)).toMatchObject({
      action: 'invitation.withdrawn',
      details: { email: `cleo@${customerId}.example` },
    })
    expect((await callApi(admin, 'DELETE', `/${member.id}/invitation`)).status).toBe(404)
    expect((await callApi(admin, 'POST', '', invitation())).status).toBe(200)
  })

  it('is rejected for a member who has accepted', async () => {
    expect((await callApi(admin, 'DELETE', `/${id.ben}/invitation`)).json.code).toBe('invitation_accepted')
    expect((await callApi(admin, 'GET', `/${id.ben}`)).status).toBe(200)
  })
})

it('a session older than ten minutes reads everything and changes nothing', async () => {
  const sid = await addSession(customerId, id.admin)
  await run(
    database.url,
    `ALTER TABLE sessions DISABLE ROW LEVEL SECURITY;
     UPDATE sessions SET created_at = now() - interval '11 minutes', proven_at = NULL WHERE digest = '${digestOf(sid)}';
     ALTER TABLE sessions ENABLE ROW LEVEL SECURITY`,
  )
  const stale = await cookieOf(sid)
  expect((await callApi(stale, 'GET', '')).status).toBe(200)
  for (const [method, rest, body] of [
    ['POST', '', invitation()],
    ['PATCH', `/${id.ben}`, { disabled: true }],
    ['POST', `/${id.ben}/link`, {}],
    ['DELETE', `/${id.ben}/invitation`, undefined],
  ] as const)
    expect((await callApi(stale, method, rest, body)).json.code).toBe('fresh_sign_in_required')
  expect(await history()).toEqual([])
})
