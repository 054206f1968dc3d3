import 'server-only'
import { randomUUID } from 'node:crypto'
import type { Transaction } from '#lib/platform/db/client.ts'
import { ANONYMOUS, recordAudit } from '#lib/platform/history/audit.ts'
import { countAnonymousRejection, recordRejection } from '#lib/platform/history/requests.ts'
import { requestContext } from '#lib/platform/runtime/log.ts'
import type { Membership, Person } from '../people/rules.ts'

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
