import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { viewOfLink } from '#lib/identity/access/links/find-link.ts'
import { redeemLink } from '#lib/identity/access/links/redeem.ts'
import { mailLink, withdrawLinks } from '#lib/identity/access/links/store.ts'
import { askRecovery } from '#lib/identity/access/operations.ts'
import { hashPassword } from '#lib/identity/access/passwords/hash.ts'
import { signIn } from '#lib/identity/access/sign-in.ts'
import { toProblem } from '#lib/platform/api/error-mapper.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { sendDueMails } from '#lib/platform/outbox/test-mails.ts'
import { runWithRequestContext } from '#lib/platform/runtime/log.ts'
import { type Catcher, startCatcher } from '../../../test/fakes/mail/catcher.ts'
import { MEMBER_MAILS } from './kinds.ts'

const [OLD, NEW] = ['correct horse battery', 'a new horse battery']
const [alder, birch] = ['alder', 'birch'] as CustomerId[] as [CustomerId, CustomerId]
let catcher: Catcher
let database: TestDatabase
let [email, hash, made] = ['', '', 0]

beforeAll(async () => {
  ;[catcher, database] = await Promise.all([startCatcher(), testDatabase()])
  for (const id of [alder, birch]) await addCustomer(id)
  hash = await hashPassword(OLD)
})
afterAll(async () => {
  await catcher.close()
  await database.close()
})
beforeEach(() => {
  Object.assign(catcher, { mails: [], dropped: [], hold: undefined })
  catcher.faults.clear()
  vi.stubEnv('SMTP_URL', catcher.url)
  vi.stubEnv('MAIL_FROM', 'Billing <billing@reseller.example>')
  vi.stubEnv('BASE_URL', 'https://console.example')
  email = `ana${++made}@alder.example`
})
afterEach(async () => {
  await sendMails().catch(() => {})
  vi.unstubAllEnvs()
})

const sendMails = () => sendDueMails(MEMBER_MAILS)
const join = (customer: string, more: object = {}) =>
  addMember(customer, { roles: ['it-manager'], email, name: 'Ana', passwordHash: hash, ...more })
const invited = { passwordHash: null, invitedAt: new Date() }
const mail = (customerId: CustomerId, memberId: string, kind: 'invitation' | 'reset') =>
  scope({ customerId }, (tx) => mailLink(tx, customerId, { memberId, kind, by: 'operator' }))
/** Returns the secrets in the received mails, oldest first. */
const secrets = () =>
  catcher.mails
    .splice(0)
    .flatMap(({ text }) => /console\.example\/(?:invitation|reset)\/([\w-]{43})/.exec(text)?.[1] ?? [])
const redeem = (secret = '', password = NEW, isNew = true) =>
  redeemLink({ secret, password, isNew }).then(
    () => 'done',
    (error) => toProblem(error).code,
  )
const enter = async (password: string) =>
  (await signIn({ email, password }, { address: `192.0.2.${made}`, userAgent: '', cookies: '' })).kind
let asker = 0
/** Each request comes from a different address by default. */
const forget = (address = email, from = `198.51.100.${++asker}`) =>
  runWithRequestContext({ requestId: randomUUID(), address: from, agent: 'Test' }, () =>
    askRecovery(
      undefined as never,
      { params: {}, query: {}, body: { email: address } },
      { requestId: 'test' },
    ),
  ).then(
    ({ body }) => body,
    (error) => toProblem(error).code,
  )

describe('a mailed link', () => {
  test('proves the address for an invitation: its password is set for the person', async () => {
    const member = await join(alder, invited)
    await join(birch, invited)
    await mail(alder, member, 'invitation')
    expect(await sendMails()).toBe(1)
    expect(catcher.mails[0]).toMatchObject({
      to: [email],
      headers: { subject: expect.stringMatching(/^You are invited to the licenses and invoices of /) },
    })
    const [secret = ''] = secrets()
    expect(await viewOfLink('invitation', secret)).toMatchObject({ state: 'open', passwordPrompt: 'new' })
    expect(await redeem(secret)).toBe('done')
    const { rows } = await database.opened.signIn.query(
      'SELECT password_hash IS NOT NULL AS has FROM people WHERE email = $1',
      [email],
    )
    expect(rows).toEqual([{ has: true }])
    // The other invitation is accepted by its own link.
    expect(await enter(NEW)).toBe('signed-in')
  })

  test('asks a person with a password for that one on an invitation, and does not replace it', async () => {
    await join(alder, { passwordHash: null })
    await run(database.url, `UPDATE people SET password_hash = '${hash}' WHERE email = '${email}'`)
    await mail(birch, await join(birch, invited), 'invitation')
    await sendMails()
    const [secret = ''] = secrets()
    expect(await viewOfLink('invitation', secret)).toMatchObject({ state: 'open', passwordPrompt: 'present' })
    expect(await redeem(secret, OLD, false)).toBe('done')
    expect(await enter(OLD)).toBe('pending')
  })

  test('is withdrawn by a new one, even before it was sent', async () => {
    const member = await join(alder, invited)
    await mail(alder, member, 'invitation')
    await mail(alder, member, 'invitation')
    expect(await sendMails()).toBe(1)
    await mail(alder, member, 'invitation')
    await scope({ customerId: alder }, (tx) => withdrawLinks(tx, alder, member))
    expect(await sendMails()).toBe(0)
  })

  test('is made again with another secret, where the mail server did not accept the former one', async () => {
    const member = await join(alder, invited)
    await mail(alder, member, 'invitation')
    vi.stubEnv('SMTP_URL', 'smtp://127.0.0.1:9')
    await expect(sendMails()).rejects.toThrow('could not be used')
    const digest = async () =>
      (await database.opened.signIn.query('SELECT digest FROM account_links WHERE member_id = $1', [member]))
        .rows[0]
    const before = await digest()
    await database.sql(alder, 'UPDATE outbox SET not_before = now()')
    vi.stubEnv('SMTP_URL', catcher.url)
    expect(await sendMails()).toBe(1)
    expect(await digest()).not.toEqual(before)
    expect(await redeem(secrets()[0])).toBe('done')
  })
})

describe('a request for a forgotten password', () => {
  test('is answered the same for a known and an unknown address, and only the known one gets a mail', async () => {
    await join(alder)
    const [existing, unknown] = [await forget(), await forget(`nobody.${email}`)]
    expect([existing, unknown]).toEqual([{ asked: true }, { asked: true }])
    await sendMails()
    expect(catcher.mails.map(({ to, headers }) => [to, headers.subject])).toEqual([
      [[email], 'Set a new password'],
    ])
  })

  test('results in a new password for all memberships, and ends all sessions of the person', async () => {
    const members = [await join(alder), await join(birch)]
    const outcome = await signIn(
      { email, password: OLD },
      { address: '192.0.2.99', userAgent: '', cookies: '' },
    )
    expect(outcome.kind).toBe('pending')
    await forget(email.toUpperCase())
    await sendMails()
    const [secret = ''] = secrets()
    expect(await viewOfLink('reset', secret)).toEqual({
      state: 'open',
      email,
      customer: undefined,
      passwordPrompt: 'new',
    })
    const both = await Promise.all([redeem(secret), redeem(secret, 'my own horse battery')])
    expect(both.sort()).toEqual(['done', 'not_found'])
    const opened = [await enter(NEW), await enter('my own horse battery'), await enter(OLD)]
    expect(opened.sort()).toEqual(['pending', 'refused', 'refused'])
    for (const [customer, member] of [
      ['alder', members[0]],
      ['birch', members[1]],
    ] as const) {
      const rows = await database.sql(
        customer,
        'SELECT action, details FROM audit_events WHERE subject = $1',
        [member],
      )
      expect(rows[0]).toEqual({ action: 'password.set', details: { by: 'mailed link' } })
    }
    await sendMails()
    expect(catcher.mails.map(({ headers }) => headers.subject)).toContain('Your password was changed')
  })

  test('leaves former links valid, because a stranger can make it, until one is used or half an hour is over', async () => {
    await join(alder)
    for (let n = 0; n < 3; n++) {
      await forget(email, `203.0.113.${n}`)
      await sendMails()
    }
    const [first = '', second, third = ''] = secrets()
    await database.opened.signIn.query(
      "UPDATE recoveries SET expires_at = expires_at - interval '30 minutes' WHERE digest = $1",
      [digestOf(third)],
    )
    expect([await redeem(third), (await viewOfLink('reset', third)).state]).toEqual(['not_found', 'expired'])
    expect(await redeem(second)).toBe('done')
    expect([await redeem(first), (await viewOfLink('reset', first)).state]).toEqual([
      'not_found',
      'withdrawn',
    ])
  })

  test('works once for two links of a person that are used at the same time', async () => {
    await join(alder)
    for (let n = 0; n < 2; n++) await forget(email, `203.0.113.${n}`)
    await sendMails()
    const [first, second] = secrets()
    const both = await Promise.all([redeem(first), redeem(second, 'my own horse battery')])
    expect(both.sort()).toEqual(['done', 'not_found'])
  })

  test('is not used up for a member by a stranger elsewhere', async () => {
    await join(alder)
    for (let n = 0; n < 6; n++) await forget(email, '203.0.113.66')
    expect(await forget(email, '192.0.2.7')).not.toBe('rate_limited')
    expect(await forget(email, '203.0.113.66')).toBe('rate_limited')
    // Not even many addresses fill a mailbox.
    const answers = []
    for (let n = 0; n < 12; n++) answers.push(await forget(email, `198.51.100.${n}`))
    expect(answers.at(-1)).toBe('rate_limited')
  })

  test.each([
    ['is disabled', { disabledAt: new Date() }],
    ['has not accepted yet', invited],
  ])('results in no link for a member who %s', async (_, more) => {
    await join(alder, more)
    expect(await forget()).toEqual({ asked: true })
    await sendMails()
    expect(catcher.mails).toEqual([])
  })

  test('is limited per address and per client, whether the address is known or not', async () => {
    await join(alder)
    const callApi = async (address: string) => {
      const answers = []
      for (let n = 0; n < 5; n++) answers.push(await forget(address, '203.0.113.9'))
      return answers
    }
    const few = [...Array(3).fill({ asked: true }), ...Array(2).fill('rate_limited')]
    expect([await callApi(email), await callApi(`nobody.${email}`)]).toEqual([few, few])
    const answers = []
    for (let n = 0; n < 12; n++) answers.push(await forget(`other.${n}@x.example`, '203.0.113.5'))
    expect(answers.slice(-2)).toEqual(['rate_limited', 'rate_limited'])
    await sendMails()
    expect(secrets()).toHaveLength(3)
  })

  test('is rejected by a console without a mail server', async () => {
    vi.stubEnv('SMTP_URL', '')
    vi.stubEnv('MAIL_FROM', '')
    expect(await forget()).toBe('not_found')
  })
})
