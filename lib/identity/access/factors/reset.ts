import 'server-only'
import { eq, sql } from 'drizzle-orm'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { endSessions } from '#lib/platform/caller/session.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { sessions } from '#lib/platform/db/schema/access/sign-ins.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { changePerson } from '../people/change.ts'
import { findPersonOf } from '../people/find-person.ts'
import type { Membership } from '../people/rules.ts'
import { notifyMember } from '../sign-ins/account-mail.ts'
import { removeFactors, setCodes } from './store.ts'

/**
 * Throws a Problem where the caller may not reset factors. Called in the transaction of the reset, at the caller's
 * customer.
 */
type Check = (tx: Transaction) => Promise<void>

/**
 * Removes a member's second factors, and ends their sessions. An Admin's reset applies to their customer only: factors
 * of the member elsewhere stay, and count there. An operator's reset applies to all customers.
 * @throws Problem `not_found` if the member does not exist or has no valid factor; the errors of `check` come first
 */
export async function resetFactors(
  caller: Caller,
  memberId: string,
  requestId: string,
  check: Check,
): Promise<void> {
  const { customerId } = caller
  const exists = await changePerson(
    () => findPersonOf(customerId, memberId),
    async (_, person) => {
      const membership = person.memberships.find((one) => one.customerId === customerId)
      if (!membership) throw new Problem('not_found')
      const isForPerson = caller.via === 'operator' || person.memberships.length === 1
      const there = person.memberships.filter(
        (one) => one === membership || (isForPerson && one.factors.length > 0),
      )
      const how = { requestId, isForPerson, personId: person.personId }
      return there.map((one) => ({
        customerId: one.customerId,
        async run(tx: Transaction) {
          if (one === membership) await check(tx)
          // For an invited member the answer would reveal to an Admin whether they have a factor at another customer.
          if (membership.isInvited || membership.factors.length === 0)
            throw new Problem('not_found', 'This member has no two-step verification here.')
          await reset(tx, caller, one, how)
        },
      }))
    },
  )
  if (!exists) throw new Problem('not_found')
}

type How = { requestId: string; isForPerson: boolean; personId: string }

async function reset(
  tx: Transaction,
  caller: Caller,
  one: Membership,
  { requestId, isForPerson, personId }: How,
) {
  const { customerId, memberId, email } = one
  // Locks the member first, in the lock order of members and their rows.
  await tx.execute(sql`
    UPDATE members SET factors_reset_at = statement_timestamp() WHERE customer_id = ${customerId} AND id = ${memberId}`)
  for (const factorScope of isForPerson ? [null, customerId] : [customerId]) {
    await removeFactors(tx, personId, { reach: factorScope })
    await setCodes(tx, personId, factorScope, [])
  }
  await endSessions(tx, customerId, eq(sessions.memberId, memberId))
  const event = { action: 'factors.reset', subject: memberId, actor: actorOf(caller), requestId }
  await recordAudit(tx, customerId, { ...event, details: { email } })
  await notifyMember(tx, customerId, memberId, { event: 'factors-reset' })
}
