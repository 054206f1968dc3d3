import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, eq, ne, sql } from 'drizzle-orm'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { endSessions } from '#lib/platform/caller/session.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { sessions } from '#lib/platform/db/schema/access/sign-ins.ts'
import { members } from '#lib/platform/db/schema/customers.ts'
import { recordAudit } from '#lib/platform/history/audit.ts'
import { requestContext } from '#lib/platform/runtime/log.ts'
import { changePerson, type Locked, type MembershipTask } from '../people/change.ts'
import { findPersonOf } from '../people/find-person.ts'
import type { Membership } from '../people/rules.ts'
import { findSessionCredential, passkeyDigest } from '../people/session-credential.ts'
import { type AccountEvent, notifyMember } from '../sign-ins/account-mail.ts'
import { countsAt, methodOfScope } from './rules.ts'
import { newCodes } from './secrets.ts'
import { removeFactors, setCodes } from './store.ts'

/**
 * Removes one of the caller's factors, wherever it counts, and ends the other sessions that it opened by itself. The
 * last factor of its scope takes the recovery codes with it.
 * @throws Problem `not_found`; `permission_denied` for the last factor where the customer demands one, or where no
 * factor of this scope was verified
 */
export async function removeFactor(caller: Caller, id: string): Promise<void> {
  await changeFactorsOf(caller, (person, membership, verifiedMethods) => {
    const factor = membership.factors.find((one) => one.id === id)
    if (!factor) throw new Problem('not_found')
    const { reach, kind, name } = factor
    if (!verifiedMethods.includes(methodOfScope(reach))) throw unproven()
    if (membership.demandsFactor && membership.factors.length === 1)
      throw new Problem(
        'permission_denied',
        'Two-step verification is required here: add another method first.',
      )
    const isLast = !person.factors.some((one) => one !== factor && one.reach === reach)
    const details = { kind: kind === 'totp' ? 'app' : 'passkey', name }
    const there = inUse(person.memberships).filter((one) => one.factors.includes(factor))
    return there.map((one) =>
      taskFor(one, { action: 'factor.removed', mail: 'factor-removed', details }, async (tx) => {
        if (one === membership) {
          await removeFactors(tx, person.personId, { id })
          if (isLast) await setCodes(tx, person.personId, reach, [])
        }
        const opened = eq(sessions.proof, passkeyDigest(factor))
        await endSessions(tx, one.customerId, and(opened, ne(sessions.digest, caller.session ?? '')))
      }),
    )
  })
}

/**
 * Replaces the recovery codes.
 * @returns the new ones, which can't be read again
 * @throws Problem `permission_denied` without a factor, or where none was verified
 */
export async function renewCodes(caller: Caller): Promise<string[]> {
  const codes = newCodes()
  await changeFactorsOf(caller, (person, membership, verifiedMethods) => {
    const factor =
      membership.factors.find((one) => one.reach === null && verifiedMethods.includes(methodOfScope(null))) ??
      membership.factors.find(({ reach }) => verifiedMethods.includes(methodOfScope(reach)))
    if (!factor) throw unproven()
    const { reach } = factor
    const there = inUse(person.memberships).filter((one) => countsAt({ reach, createdAt: new Date() }, one))
    return there.map((one) =>
      taskFor(one, { action: 'recovery-codes.made' }, async (tx) => {
        if (one === membership) await setCodes(tx, person.personId, reach, codes)
      }),
    )
  })
  return codes
}

/**
 * Changes the caller's own factors.
 * @param decide receives the person, the caller's membership, and the methods verified in the session
 */
async function changeFactorsOf(
  { customerId, id, session = '' }: Caller,
  decide: (
    person: Locked,
    membership: Membership,
    verifiedMethods: readonly string[],
  ) => ReturnType<typeof taskFor>[],
): Promise<void> {
  const credential = await findSessionCredential(customerId, session)
  const exists = await changePerson(
    () => findPersonOf(customerId, id),
    async (_, person) => {
      const membership = person.memberships.find((one) => one.customerId === customerId)
      if (!membership) throw new Problem('not_found')
      return decide(person, membership, credential?.proven ?? [])
    },
  )
  if (!exists) throw new Problem('not_found')
}

function unproven(): Problem {
  return new Problem(
    'permission_denied',
    'Sign in with two-step verification first: this session did not use it.',
  )
}

/** Factor event at one membership: an audit event of its customer, and a mail where one exists for the event. */
export type Happening = { action: string; mail?: AccountEvent; details?: Record<string, string | number> }

/** Returns the part of a member's own change at one of their memberships. */
export function taskFor(
  { customerId, memberId, name }: Membership,
  { action, mail, details = {} }: Happening,
  run: (tx: Transaction) => Promise<void> = async () => {},
): MembershipTask {
  return {
    customerId,
    async run(tx) {
      const memberFilter = and(eq(members.customerId, customerId), eq(members.id, memberId))
      // Locks the member first, in the lock order of members and their rows.
      await tx.select({ id: members.id }).from(members).where(memberFilter).for('no key update')
      await run(tx)
      const here = requestContext()
      const actor = { kind: 'member', id: memberId, name } as const
      const requestId = here?.requestId ?? randomUUID()
      await recordAudit(tx, customerId, { action, subject: memberId, actor, requestId, details })
      const from = here && { address: here.address, userAgent: here.agent ?? '' }
      if (mail) await notifyMember(tx, customerId, memberId, { event: mail, from })
    },
  }
}

/** Ends the member's sessions in which no factor of these scopes was verified, except for `exceptSession`. */
export function endUnproven(
  tx: Transaction,
  { customerId, memberId }: Membership,
  factorScopes: readonly (string | null)[],
  exceptSession: string,
): Promise<void> {
  const verifiedMethods = sql.param(factorScopes.map(methodOfScope))
  const isUnproven = sql`NOT coalesce(${sessions.proven}, '{}') && ${verifiedMethods}::text[]`
  return endSessions(
    tx,
    customerId,
    and(eq(sessions.memberId, memberId), ne(sessions.digest, exceptSession), isUnproven),
  )
}

/** Returns the accepted and enabled memberships. */
export function inUse(memberships: readonly Membership[]): Membership[] {
  return memberships.filter(({ isDisabled, isInvited }) => !isDisabled && !isInvited)
}
