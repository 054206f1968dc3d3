import 'server-only'
import { randomUUID } from 'node:crypto'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { ANONYMOUS, recordAudit } from '#lib/platform/history/audit.ts'
import { countAnonymousRejection, recordRejection } from '#lib/platform/history/requests.ts'
import { log, reasonOf, requestContext } from '#lib/platform/runtime/log.ts'
import type { Membership, Person } from '../people/rules.ts'
import { notifyOfWrongFactor } from './account-mail.ts'

const requestId = () => requestContext()?.requestId ?? randomUUID()

type Member = Pick<Membership, 'customerId' | 'memberId' | 'name'>

/** Records in the same transaction that a session was opened or ended. */
export function traceSession(
  tx: Transaction,
  { customerId, memberId, name }: Member,
  what: 'opened' | 'ended',
  why?: string,
): Promise<void> {
  const actor = { kind: 'member', id: memberId, name } as const
  const event = {
    action: `session.${what}`,
    subject: memberId,
    actor,
    requestId: requestId(),
    details: { why },
  }
  return recordAudit(tx, customerId, event)
}

/**
 * Records a failed sign-in in the audit log of each customer where the person is an active member, at most once a
 * minute; without an account the failure is only counted. `at` names the step, where it was not the password. Runs in
 * the background, because its time would reveal which accounts exist (timing attack).
 */
export function traceFailure(
  person: Pick<Person, 'memberships'> | undefined,
  what: 'failed' | 'throttled',
  at?: 'second factor' | 'passkey',
): void {
  if (!person) countAnonymousRejection(what === 'failed' ? 'unknown-account' : 'throttled')
  for (const { customerId, memberId, name, isDisabled, isInvited } of person?.memberships ?? []) {
    if (isDisabled || isInvited) continue
    const event = { action: `sign-in.${what}`, subject: memberId, actor: ANONYMOUS, requestId: requestId() }
    recordRejection(customerId, { ...event, details: { account: name, at } })
  }
}

/**
 * Records that a correct password was followed by a wrong second factor: the password may be stolen. The member
 * gets a mail, at most one an hour. Runs in the background, like `traceFailure`.
 */
export function recordWrongFactor(memberships: Person['memberships']): void {
  const enabled = memberships.filter(({ isDisabled, isInvited }) => !isDisabled && !isInvited)
  for (const { customerId, memberId, name } of enabled) {
    const event = { action: 'factor.refused', subject: memberId, actor: ANONYMOUS, requestId: requestId() }
    recordRejection(customerId, { ...event, details: { account: name, at: 'sign-in' } })
  }
  const [first] = enabled
  if (!first) return
  const here = requestContext()
  const from = here && { address: here.address, userAgent: here.agent ?? '' }
  const notify = (tx: Transaction) => notifyOfWrongFactor(tx, first.customerId, first.memberId, from)
  scope({ customerId: first.customerId }, notify, { evenIfClosed: true }).catch((error: unknown) => {
    log().warn({ reason: reasonOf(error).slice(0, 300) }, 'a mail about a wrong factor is not written')
  })
}
