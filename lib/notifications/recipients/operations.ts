import 'server-only'
import { requirePerson, scopeOfAuthority } from '#lib/identity/access/authority.ts'
import { checkPermission, operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { mailSettings } from '#lib/platform/mail/settings.ts'
import * as contract from './contract.ts'
import {
  MAX_RECIPIENTS,
  MAX_REQUESTS_OF_ADDRESS,
  MAX_REQUESTS_OF_PROFILE,
  needsConfirmation,
} from './rules.ts'
import type { Recipient } from './store.ts'
import * as store from './store.ts'

export const listNoticeRecipients = operation(contract.listNoticeRecipients, async (caller) => {
  checkPermission(caller, 'invoice-viewer')
  const rows = await readScope(caller, (tx) =>
    store.listRecipients(tx, caller.customerId, caller.billingProfiles),
  )
  const isPossible = mailSettings() !== undefined
  return { body: { recipients: rows.map(serializeRecipient), rowCount: rows.length, isPossible } }
})

const WHAT = 'Having invoices emailed'

export const addNoticeRecipient = operation(
  contract.addNoticeRecipient,
  async (caller, { params, body }, { requestId }) => {
    requirePerson(caller, WHAT)
    const profileId = params.billing_profile_id
    const row = await authorized(caller, profileId, async (tx, now) => {
      const recipientId = await store.ensureRecipient(tx, now.customerId, body.email)
      const existing = await find(tx, now, { profileId, recipientId })
      if (!existing) await checkRoom(tx, now, profileId)
      const { email, notices, attachesPdf } = body
      return request(tx, now, { existing, recipientId, profileId, email, notices, attachesPdf }, requestId)
    })
    return { body: serializeRecipient(row) }
  },
)

export const resendConfirmation = operation(
  contract.resendConfirmation,
  async (caller, { params }, { requestId }) => {
    requirePerson(caller, WHAT)
    const which = { profileId: params.billing_profile_id, recipientId: params.recipient_id }
    const row = await authorized(caller, which.profileId, async (tx, now) => {
      await store.lockRecipient(tx, now.customerId, which.recipientId)
      const existing = await find(tx, now, which)
      if (!existing) throw new Problem('not_found')
      return request(tx, now, { ...existing, existing }, requestId)
    })
    return { body: serializeRecipient(row) }
  },
)

export const changeNoticeRecipient = operation(
  contract.changeNoticeRecipient,
  async (caller, { params, body }, { requestId }) => {
    requirePerson(caller, WHAT)
    const which = { profileId: params.billing_profile_id, recipientId: params.recipient_id }
    const row = await authorized(caller, which.profileId, async (tx, now) => {
      await store.lockRecipient(tx, now.customerId, which.recipientId)
      const existing = await find(tx, now, which)
      if (!existing) throw new Problem('not_found')
      const { notices = existing.notices, attachesPdf = existing.attachesPdf } = body
      await store.setRecipient(tx, now.customerId, { ...which, notices, attachesPdf })
      await record(tx, now, { action: 'notices.set', existing, notices, attachesPdf, requestId })
      return (await find(tx, now, which)) ?? existing
    })
    return { body: serializeRecipient(row) }
  },
)

export const removeNoticeRecipient = operation(
  contract.removeNoticeRecipient,
  async (caller, { params }, { requestId }) => {
    const which = { profileId: params.billing_profile_id, recipientId: params.recipient_id }
    await authorized(caller, which.profileId, async (tx, now) => {
      await store.lockRecipient(tx, now.customerId, which.recipientId)
      const existing = await find(tx, now, which)
      if (!existing) throw new Problem('not_found')
      await store.withdrawRequest(tx, now.customerId, which)
      await store.removeSubscription(tx, now.customerId, which)
      await record(tx, now, { ...existing, action: 'notices.removed', existing, requestId })
    })
    return { body: { removed: true as const } }
  },
)

/**
 * Runs a change with the caller's current rights, after locking the billing profile.
 * @throws Problem `permission_denied`; `not_found` for a billing profile that the caller may not see
 */
function authorized<T>(
  caller: Caller,
  profileId: string,
  run: (tx: Transaction, now: Caller) => Promise<T>,
): Promise<T> {
  return scopeOfAuthority(caller, async (tx, now) => {
    checkPermission(now, contract.addNoticeRecipient.permission)
    checkPermission(now, 'invoice-viewer')
    const isVisible = now.billingProfiles.includes(profileId)
    if (!isVisible || !(await store.lockProfile(tx, now.customerId, profileId)))
      throw new Problem('not_found')
    return run(tx, now)
  })
}

type Which = { profileId: string; recipientId: string }

async function find(tx: Transaction, { customerId }: Caller, which: Which): Promise<Recipient | undefined> {
  const [row] = await store.listRecipients(tx, customerId, [which.profileId], which.recipientId)
  return row
}

type RequestInput = Which &
  Pick<Recipient, 'email' | 'notices' | 'attachesPdf'> & { existing: Recipient | undefined }

/**
 * Requests the confirmation of an address.
 * @throws Problem `recipient_exists` for an active address, `rate_limited`
 */
async function request(
  tx: Transaction,
  now: Caller,
  input: RequestInput,
  requestId: string,
): Promise<Recipient> {
  const { existing, ...values } = input
  if (existing && !needsConfirmation(existing.state))
    throw new Problem('recipient_exists', `${existing.email} gets notices of this billing profile.`)
  await checkRate(tx, now, values)
  await store.addRequest(tx, now.customerId, { ...values, requestedBy: now.id })
  const row = await find(tx, now, values)
  if (!row) throw new Error('A request was not stored.')
  const { notices, attachesPdf } = values
  await record(tx, now, { action: 'notices.requested', existing: row, notices, attachesPdf, requestId })
  return row
}

async function checkRoom(tx: Transaction, { customerId }: Caller, profileId: string): Promise<void> {
  const rows = await store.listRecipients(tx, customerId, [profileId])
  if (rows.length < MAX_RECIPIENTS) return
  throw new Problem(
    'recipients_full',
    `A billing profile has ${MAX_RECIPIENTS} addresses at most. Remove one first.`,
  )
}

async function checkRate(tx: Transaction, { customerId }: Caller, which: Which): Promise<void> {
  const { ofProfile, ofAddress } = await store.countRequests(tx, customerId, which)
  const isOver = [
    [ofAddress, MAX_REQUESTS_OF_ADDRESS, 'This address was asked too often today.'],
    [ofProfile, MAX_REQUESTS_OF_PROFILE, 'Too many addresses were asked for this billing profile today.'],
  ] as const
  for (const [{ count, secondsLeft }, limit, detail] of isOver)
    if (count >= limit)
      throw new Problem('rate_limited', `${detail} Try again later.`, {
        headers: { 'Retry-After': String(secondsLeft) },
      })
}

type Recorded = {
  action: 'notices.requested' | 'notices.set' | 'notices.removed'
  existing: Recipient
  notices: Recipient['notices']
  attachesPdf: boolean
  requestId: string
}

async function record(tx: Transaction, now: Caller, recorded: Recorded): Promise<void> {
  const { action, existing, notices, attachesPdf, requestId } = recorded
  const { email, recipientId, profileId: profile } = existing
  const details = { email, profile, notices, attachments: attachesPdf ? 'pdf' : 'none' }
  await recordAudit(tx, now.customerId, {
    action,
    subject: recipientId,
    actor: actorOf(now),
    requestId,
    details,
  })
}

function serializeRecipient(row: Recipient): contract.NoticeRecipient {
  const { recipientId, profileId, email, notices, attachesPdf, state, stopped } = row
  return {
    id: recipientId,
    billingProfileId: profileId,
    email,
    notices,
    attachesPdf,
    state,
    stopped,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.requestedBy === null ? {} : { requestedBy: row.requestedBy }),
    createTime: row.createdAt.getTime(),
    ...(row.expiresAt === null ? {} : { expireTime: row.expiresAt.getTime() }),
  }
}
