import { describe, expect, it } from 'vitest'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import type { Caller, Role } from '#lib/platform/caller/rules.ts'
import { findSessionCaller } from '#lib/platform/caller/session.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { addCustomer, addMember, addProfile, callerOf } from '#lib/platform/db/test-rows.ts'
import { addSession } from '#lib/platform/db/test-sessions.ts'
import { mailChannel } from '#lib/platform/outbox/mail.ts'
import { deliverDue } from '#lib/platform/outbox/worker.ts'
import { POST } from '../../../app/api/unsubscribe/route.ts'
import { BASE_URL } from '../../../test/fakes/mail/stage.ts'
import { customerId, onStage, stage } from '../notices/test-stage.ts'
import { answerConfirmation, readConfirmation } from './confirm.ts'
import * as operations from './operations.ts'
import { MAX_REQUESTS_OF_ADDRESS, MAX_REQUESTS_OF_PROFILE } from './rules.ts'
import { confirmationMail } from './send.ts'
import { pruneRequests } from './store.ts'

let admin: Caller

onStage(async () => {
  await addProfile(customerId, 'emea')
  admin = await member(['admin'])
})

const meta = { requestId: 'r' }
const AP = 'ap@books.example'

async function member(
  roles: Role[],
  values: { billingProfiles?: string[]; id?: string } = {},
): Promise<Caller> {
  const sid = await addSession(customerId, await addMember(customerId, { roles, ...values }))
  const caller = await findSessionCaller(digestOf(sid))
  if (!caller) throw new Error('The session was not found.')
  return caller
}

type Body = Parameters<typeof operations.addNoticeRecipient>[1]['body']
const add = async (profile = 'default', values: Partial<Body> = {}, by = admin) =>
  (
    await operations.addNoticeRecipient(
      by,
      {
        params: { billing_profile_id: profile },
        query: {},
        body: { email: AP, notices: ['new'], attachesPdf: false, ...values },
      },
      meta,
    )
  ).body
const input = (profile: string, id: string) => ({
  params: { billing_profile_id: profile, recipient_id: id },
  query: {},
  body: {},
})
const list = async (by = admin) =>
  (await operations.listNoticeRecipients(by, { params: {}, query: {}, body: undefined }, meta)).body
    .recipients
const states = async () =>
  (await list()).map(({ email, billingProfileId, state }) => [email, billingProfileId, state])
const sendRequests = () =>
  deliverDue(mailChannel([confirmationMail]), {
    ...{ requestId: 'r', signal: new AbortController().signal },
    // Other tests have left requests that were not mailed.
    only: [admin.customerId],
  })

/** Sends the requested confirmations, and returns the link of the last one. */
async function link(): Promise<string> {
  await sendRequests()
  const text = stage.taken().at(-1)?.text ?? ''
  return text.match(/\/confirm\?link=(\S+)/)?.[1] ?? 'none'
}
const confirm = async (text: string) => answerConfirmation(text, 'confirm', 'r')
const passHours = (hours: number) => stage.passRequestHours(hours)

describe('an address', () => {
  it('is mailed a link and nothing else until it confirms, and then only new invoices', async () => {
    await stage.invoice(customerId, 'IN-BEFORE', 30)
    const { id, ...added } = await add('default', { notices: ['new', 'past-due'], attachesPdf: true })
    expect(added).toMatchObject({
      email: AP,
      state: 'pending',
      notices: ['past-due', 'new'],
      attachesPdf: true,
    })
    await stage.invoice(customerId, 'IN-PENDING', -3)
    expect(await stage.run()).toBe(0)
    expect(await sendRequests()).toBe(1)
    const [mail] = stage.taken()
    expect([mail?.to, mail?.headers.subject]).toEqual([[AP], `Confirm invoice emails of ${customerId}`])
    expect(mail?.text).toContain('* New invoices, with their PDFs attached\n')
    expect(mail?.text).not.toContain('IN-')
    expect(await sendRequests()).toBe(0)
    const text = mail?.text.match(new RegExp(`${BASE_URL}/confirm\\?link=(\\S+)`))?.[1] ?? ''
    expect(await readConfirmation(text)).toMatchObject({ state: 'open', email: AP, profile: customerId })
    expect(await stage.run()).toBe(0)
    expect(await confirm(text)).toBe(true)
    expect(await states()).toEqual([[AP, 'default', 'active']])
    await stage.invoice(customerId, 'IN-AFTER', 30)
    expect(await stage.run()).toBe(1)
    const [notice] = stage.taken()
    expect(notice?.text).toContain('IN-AFTER')
    expect(notice?.text).toContain('IN-PENDING')
    expect(notice?.text).not.toContain('IN-BEFORE')
    expect(
      await stage.database.sql(
        customerId,
        "SELECT action, subject FROM audit_events WHERE action ~ '^notices' ORDER BY id",
      ),
    ).toEqual([
      { action: 'notices.requested', subject: id },
      { action: 'notices.confirmed', subject: id },
    ])
  })

  it('keeps the letters of its first request', async () => {
    await add('default', { email: 'Ap@Books.example' })
    expect(await states()).toEqual([['Ap@Books.example', 'default', 'pending']])
  })

  it('confirms once: a used, replaced, expired or changed link does nothing', async () => {
    await add()
    const first = await link()
    await add()
    const second = await link()
    expect(await confirm(first)).toBe(false)
    expect(await readConfirmation(first)).toMatchObject({ state: 'ended' })
    expect([await confirm(`${second}x`), await confirm('x.y'), await confirm('')]).toEqual([
      false,
      false,
      false,
    ])
    expect(await confirm(second)).toBe(true)
    expect(await confirm(second)).toBe(false)
    expect(await readConfirmation(second)).toMatchObject({ state: 'confirmed' })
    await add('emea')
    const expired = await link()
    await passHours(24 * 7)
    expect(await confirm(expired)).toBe(false)
    expect(await states()).toEqual([
      [AP, 'default', 'active'],
      [AP, 'emea', 'expired'],
    ])
  })

  it('confirms once under a race, and not while it is removed', async () => {
    const { id } = await add()
    const text = await link()
    const answers = await Promise.all(Array.from({ length: 5 }, () => confirm(text)))
    expect(answers.filter(Boolean)).toHaveLength(1)
    await add('emea')
    const other = await link()
    const [isConfirmed] = await Promise.all([
      confirm(other),
      operations.removeNoticeRecipient(admin, input('emea', id), meta),
    ])
    expect(await confirm(other)).toBe(false)
    // The removal wins in either order.
    expect([[true, false], await states()]).toEqual([
      expect.arrayContaining([isConfirmed]),
      [[AP, 'default', 'active']],
    ])
  })

  it('is stored once where two Admins add it at the same time', async () => {
    const other = await member(['admin'])
    await Promise.all([add(), add('default', { email: AP.toUpperCase() }, other)])
    expect(await list()).toHaveLength(1)
    expect(
      await stage.database.sql(
        customerId,
        'SELECT count(*)::int FROM notice_confirmations WHERE outcome IS NULL',
      ),
    ).toEqual([{ count: 1 }])
  })

  it('declines, gets nothing, and loses the notices that it had', async () => {
    await stage.add(customerId, AP)
    await stage.database.sql(customerId, "UPDATE notice_recipients SET failure = '550', failed_at = now()")
    await add()
    const text = await link()
    expect(await answerConfirmation(text, 'decline', 'r')).toBe(true)
    expect(await confirm(text)).toBe(false)
    await stage.invoice(customerId, 'IN-1', -3)
    expect([await stage.run(), await states()]).toEqual([0, [[AP, 'default', 'refused']]])
  })

  it('cannot be confirmed after its Admin was disabled, lost the role or the billing profile', async () => {
    for (const change of ['disabled_at = now()', "roles = '{finance-user}'", "billing_profiles = '{emea}'"]) {
      const other = await member(['admin'])
      const email = `${other.id}@books.example`
      await add('default', { email }, other)
      const text = await link()
      await stage.database.sql(customerId, `UPDATE members SET ${change} WHERE id = '${other.id}'`)
      expect(await confirm(text)).toBe(false)
    }
    expect((await list()).map(({ state }) => state)).toEqual(['pending', 'pending', 'pending'])
  })

  it('is active where the operator set it, and is changed and removed by an Admin', async () => {
    await stage.add(customerId, AP, { kinds: ['due'] })
    const [row] = await list()
    expect(row).toMatchObject({ email: AP, state: 'active', notices: ['due'], attachesPdf: false })
    expect(row).not.toHaveProperty('requestedBy')
    const which = input('default', row?.id ?? '')
    const { body } = await operations.changeNoticeRecipient(
      admin,
      { ...which, body: { notices: ['new'], attachesPdf: true } },
      meta,
    )
    expect(body).toMatchObject({ notices: ['new'], attachesPdf: true, state: 'active' })
    await expect(add()).rejects.toMatchObject({ code: 'recipient_exists' })
    await expect(operations.resendConfirmation(admin, which, meta)).rejects.toMatchObject({
      code: 'recipient_exists',
    })
    await operations.removeNoticeRecipient(admin, which, meta)
    await expect(operations.removeNoticeRecipient(admin, which, meta)).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(await list()).toEqual([])
  })
})

describe('an address that bounces', () => {
  it('is shown with the reason at its confirmation, and asked again', async () => {
    const { id } = await add()
    stage.fail(AP, { at: 'recipient', code: 550, text: 'No such user' })
    expect(await sendRequests()).toBe(0)
    const [row] = await list()
    expect(row).toMatchObject({ state: 'refused', reason: expect.stringContaining('550') })
    stage.recover()
    expect(await sendRequests()).toBe(0)
    const { body } = await operations.resendConfirmation(admin, input('default', id), meta)
    expect(body.state).toBe('pending')
    expect(await confirm(await link())).toBe(true)
    expect(await states()).toEqual([[AP, 'default', 'active']])
  })

  it('is shown and not mailed after its notices bounce, until it confirms again', async () => {
    await add()
    await confirm(await link())
    await stage.invoice(customerId, 'IN-1', 30)
    stage.fail(AP, { at: 'recipient', code: 553, text: 'Mailbox closed' })
    await stage.run()
    stage.recover()
    await stage.invoice(customerId, 'IN-2', 30)
    await stage.passDays(1)
    expect(await stage.run()).toBe(0)
    const [row] = await list()
    expect(row).toMatchObject({ state: 'refused', reason: expect.stringContaining('Mailbox closed') })
    await add()
    expect(await stage.run()).toBe(0)
    await confirm(await link())
    await stage.invoice(customerId, 'IN-3', 30)
    expect(await stage.run()).toBe(1)
  })

  it('is not refused by a temporary failure, which is tried again', async () => {
    await add()
    stage.fail(AP, { at: 'recipient', code: 450, text: 'Busy' })
    expect(await sendRequests()).toBe(0)
    expect(await states()).toEqual([[AP, 'default', 'pending']])
    stage.recover()
    await stage.database.sql(customerId, 'UPDATE outbox SET not_before = now()')
    expect(await sendRequests()).toBe(1)
  })
})

describe('an address that unsubscribes by one click', () => {
  it('gets nothing more, is shown as unsubscribed, and restarts only by its own confirmation', async () => {
    await add()
    await confirm(await link())
    await stage.invoice(customerId, 'IN-1', 30)
    await stage.run()
    const [mail] = stage.taken()
    expect(mail?.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click')
    const url = mail?.headers['list-unsubscribe']?.slice(1, -1) ?? ''
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
    expect((await POST(new Request(url, { method: 'POST', body }))).status).toBe(200)
    await stage.invoice(customerId, 'IN-2', 30)
    await stage.passDays(1)
    expect([await stage.run(), await states()]).toEqual([0, [[AP, 'default', 'stopped']]])
    const [row] = await list()
    await operations.changeNoticeRecipient(
      admin,
      { ...input('default', row?.id ?? ''), body: { notices: ['new', 'due'] } },
      meta,
    )
    expect(await stage.run()).toBe(0)
    await add()
    expect(await stage.run()).toBe(0)
    expect(await confirm(await link())).toBe(true)
    await stage.invoice(customerId, 'IN-3', 30)
    expect(await stage.run()).toBe(1)
    const [notice] = stage.taken()
    expect(notice?.text).toContain('IN-3')
    expect(notice?.text).not.toContain('IN-2')
  })
})

describe('requests', () => {
  it('are limited for an address, also across billing profiles', async () => {
    for (let count = 0; count < MAX_REQUESTS_OF_ADDRESS; count++) await add(count % 2 ? 'emea' : 'default')
    await expect(add()).rejects.toMatchObject({
      code: 'rate_limited',
      more: { headers: { 'Retry-After': expect.stringMatching(/^\d+$/) } },
    })
    await passHours(24)
    expect((await add()).state).toBe('pending')
  })

  it('are limited exactly for a billing profile, under races', async () => {
    const all = await Promise.allSettled(
      Array.from({ length: MAX_REQUESTS_OF_PROFILE + 5 }, (_, index) =>
        add('default', { email: `a${index}@books.example` }),
      ),
    )
    const done = all.filter(({ status }) => status === 'fulfilled').length
    expect(done).toBeLessThanOrEqual(MAX_REQUESTS_OF_PROFILE)
    expect(await list()).toHaveLength(done)
    expect((await add('emea')).state).toBe('pending')
  })

  it('are removed 90 days after their end', async () => {
    await add()
    await passHours(24 * 100)
    expect(await scope(admin, (tx) => pruneRequests(tx, admin.customerId))).toBe(1)
  })
})

describe('isolation', () => {
  it('keeps invoices of a billing profile from addresses of another one, and of another customer', async () => {
    const other = `${customerId}-other`
    await addCustomer(other)
    await addProfile(other, 'emea')
    await add('emea', { notices: ['new', 'due', 'past-due'] })
    await confirm(await link())
    await stage.invoice(customerId, 'IN-DEFAULT', 1)
    await stage.invoice(other, 'IN-OTHER', 1, { billingProfileId: 'emea' })
    expect(await stage.run()).toBe(0)
    await stage.invoice(customerId, 'IN-EMEA', 1, { billingProfileId: 'emea' })
    expect(await stage.run()).toBe(1)
    expect(stage.taken().map(({ text }) => text.match(/IN-[A-Z]+/g)?.[0])).toEqual(['IN-EMEA'])
  })

  it('shows and lets change no address of a billing profile or customer that the Admin may not see', async () => {
    const { id } = await add('default')
    const limited = await member(['admin'], { billingProfiles: ['emea'] })
    expect(await list(limited)).toEqual([])
    for (const call of [
      () => add('default', {}, limited),
      () => add('nothing', {}, admin),
      () =>
        operations.changeNoticeRecipient(
          limited,
          { ...input('default', id), body: { attachesPdf: true } },
          meta,
        ),
      () => operations.removeNoticeRecipient(limited, input('default', id), meta),
      () => operations.resendConfirmation(limited, input('default', id), meta),
      () => operations.removeNoticeRecipient(admin, input('emea', id), meta),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'not_found' })
    expect(await states()).toEqual([[AP, 'default', 'pending']])
    const foreign = `${customerId}-foreign`
    await addCustomer(foreign)
    const caller = await callerOf(foreign, 'admin')
    expect(await list(caller)).toEqual([])
    await expect(operations.removeNoticeRecipient(caller, input('default', id), meta)).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it.each<[string, () => Promise<Caller>, string]>([
    ['an IT Manager', () => member(['it-manager']), 'permission_denied'],
    ['a Finance User', () => member(['finance-user']), 'permission_denied'],
    ['both', () => member(['it-manager', 'finance-user']), 'permission_denied'],
    ['a key of an Admin', () => callerOf(customerId, 'admin'), 'permission_denied'],
    [
      'an Admin without a fresh sign-in',
      async () => ({ ...admin, verifiedSecondsAgo: 601 }),
      'fresh_sign_in_required',
    ],
  ])('refuses %s', async (_, by, code) => {
    const caller = await by()
    await expect(add('default', {}, caller)).rejects.toMatchObject({ code })
    const isReader = caller.roles.includes('admin')
    if (!isReader) await expect(list(caller)).rejects.toMatchObject({ code })
  })

  it('lets the key of an Admin read and remove addresses', async () => {
    const { id } = await add()
    const key = await callerOf(customerId, 'admin')
    expect(await list(key)).toHaveLength(1)
    await operations.removeNoticeRecipient(key, input('default', id), meta)
    expect(await list(key)).toEqual([])
  })
})
