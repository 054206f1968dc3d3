import 'server-only'
import { sql } from 'drizzle-orm'
import { type ConfirmationLink, readConfirmationLink } from '#lib/identity/access/notice-link.ts'
import { addRecipient } from '#lib/notifications/notices/recipients.ts'
import { NOTICES, type Notice } from '#lib/notifications/notices/rules.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { recordAudit } from '#lib/platform/history/audit.ts'
import { lockRecipient, readRequestNames, removeSubscription } from './store.ts'

/** Request as its link shows it; it no longer works once it is not `open`. */
export type ConfirmationView = {
  state: 'open' | 'confirmed' | 'declined' | 'ended'
  email: string
  customer: string
  profile: string
  notices: Notice[]
  attachesPdf: boolean
}

type Request = Omit<ConfirmationView, 'state'> & {
  recipientId: string
  profileId: string
  requestedBy: string
  outcome: string | null
  isLive: boolean
}

async function readRequest(
  tx: Transaction,
  { customerId, confirmationId }: ConfirmationLink,
): Promise<Request | undefined> {
  const { rows } = await tx.execute<Omit<Request, 'email' | 'customer' | 'profile'>>(sql`
    SELECT recipient_id AS "recipientId", billing_profile_id AS "profileId", requested_by AS "requestedBy", outcome,
      expires_at > now() AS "isLive", kinds AS notices, attaches_pdf AS "attachesPdf"
    FROM notice_confirmations WHERE customer_id = ${customerId} AND id = ${confirmationId}`)
  const [row] = rows
  const addressee = row && (await readRequestNames(tx, customerId, row))
  if (!addressee) return undefined
  const { email, customer, profile } = addressee
  return {
    ...row,
    email,
    customer,
    profile,
    notices: NOTICES.filter((notice) => row.notices.includes(notice)),
  }
}

/**
 * Locks the member who requested it until the transaction ends.
 * @returns whether the member is still an Admin who sees the billing profile
 */
async function lockRequester(
  tx: Transaction,
  customerId: CustomerId,
  { requestedBy, profileId }: Request,
): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    SELECT FROM members
    WHERE customer_id = ${customerId} AND id = ${requestedBy} AND disabled_at IS NULL AND 'admin' = ANY (roles)
      AND (billing_profiles IS NULL OR ${profileId} = ANY (billing_profiles))
    FOR SHARE`)
  return rows.length > 0
}

/** Returns the request behind a link; undefined for an invalid link. */
export async function readConfirmation(link: string): Promise<ConfirmationView | undefined> {
  const target = readConfirmationLink(link)
  if (!target) return undefined
  const request = await readScope(target, (tx) => readRequest(tx, target))
  if (!request) return undefined
  const { email, customer, profile, notices, attachesPdf, outcome, isLive } = request
  return { state: stateOf(outcome, isLive), email, customer, profile, notices, attachesPdf }
}

function stateOf(outcome: string | null, isLive: boolean): ConfirmationView['state'] {
  if (outcome === null) return isLive ? 'open' : 'ended'
  return outcome === 'CONFIRMED' ? 'confirmed' : outcome === 'DECLINED' ? 'declined' : 'ended'
}

/**
 * Confirms or declines a request, once. Declining also ends the notices of the billing profile that the address got
 * before.
 * @returns false for an invalid link, one that was used, replaced or has expired, and one whose requester is no Admin of
 * the billing profile any more
 */
export async function answerConfirmation(
  link: string,
  answer: 'confirm' | 'decline',
  requestId: string,
): Promise<boolean> {
  const target = readConfirmationLink(link)
  if (!target) return false
  const run = (tx: Transaction) => endRequest(tx, target, answer, requestId)
  return scope(target, run, { evenIfClosed: answer === 'decline' })
}

async function endRequest(
  tx: Transaction,
  target: ConfirmationLink,
  answer: 'confirm' | 'decline',
  requestId: string,
): Promise<boolean> {
  const { customerId, confirmationId } = target
  const request = await readRequest(tx, target)
  if (!request) return false
  if (answer === 'confirm' && !(await lockRequester(tx, customerId, request))) return false
  await lockRecipient(tx, customerId, request.recipientId)
  const { rows } = await tx.execute<{ kinds: Notice[]; attachesPdf: boolean }>(sql`
    UPDATE notice_confirmations SET outcome = ${answer === 'confirm' ? 'CONFIRMED' : 'DECLINED'}, ended_at = now()
    WHERE customer_id = ${customerId} AND id = ${confirmationId} AND outcome IS NULL AND expires_at > now()
    RETURNING kinds, attaches_pdf AS "attachesPdf"`)
  const [ended] = rows
  if (!ended) return false
  const { recipientId, profileId, email } = request
  const { kinds, attachesPdf } = ended
  if (answer === 'confirm')
    await addRecipient(tx, customerId, { email, profile: profileId, kinds, again: true, attachesPdf })
  else await removeSubscription(tx, customerId, { recipientId, profileId })
  await recordAudit(tx, customerId, {
    action: answer === 'confirm' ? 'notices.confirmed' : 'notices.declined',
    subject: recipientId,
    actor: { kind: 'recipient', id: recipientId, name: email },
    requestId,
    details: { email, profile: profileId, notices: kinds, attachments: attachesPdf ? 'pdf' : 'none' },
  })
  return true
}
