import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, eq, ne, sql } from 'drizzle-orm'
import { endSessions } from '#lib/platform/caller/session.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { sessions } from '#lib/platform/db/schema/access/sign-ins.ts'
import { members } from '#lib/platform/db/schema/customers.ts'
import { recordAudit } from '#lib/platform/history/audit.ts'
import { visit } from '#lib/platform/runtime/visit.ts'
import type { Part } from '../people/change.ts'
import type { Membership } from '../people/rules.ts'
import { type AccountEvent, tellMember } from '../sign-ins/account-mail.ts'
import { reachProven } from './rules.ts'

/** What happens with factors at one membership: a row in its customer's history, and a mail where there is one for it. */
export type Happening = { action: string; mail?: AccountEvent; details?: Record<string, string | number> }

/** The part of a change that the member makes themselves, at one of their memberships. */
export function partOf(
  { customerId, memberId, name }: Membership,
  { action, mail, details = {} }: Happening,
  run: (tx: Transaction) => Promise<void> = async () => {},
): Part {
  return {
    customerId,
    async run(tx) {
      const own = and(eq(members.customerId, customerId), eq(members.id, memberId))
      // The member first, as wherever a member and what is theirs are locked.
      await tx.select({ id: members.id }).from(members).where(own).for('no key update')
      await run(tx)
      const here = visit()
      const actor = { kind: 'member', id: memberId, name } as const
      const requestId = here?.requestId ?? randomUUID()
      await recordAudit(tx, customerId, { action, subject: memberId, actor, requestId, details })
      const from = here && { address: here.address, userAgent: here.agent ?? '' }
      if (mail) await tellMember(tx, customerId, memberId, mail, from)
    },
  }
}

/** Ends a member's sessions in which no factor of these reaches was proven, but for the one named `keep`. */
export function endUnproven(
  tx: Transaction,
  { customerId, memberId }: Membership,
  reaches: readonly (string | null)[],
  keep: string,
): Promise<void> {
  const proven = sql.param(reaches.map(reachProven))
  const isUnproven = sql`NOT coalesce(${sessions.proven}, '{}') && ${proven}::text[]`
  return endSessions(
    tx,
    customerId,
    and(eq(sessions.memberId, memberId), ne(sessions.digest, keep), isUnproven),
  )
}

/** Those of a person's memberships that they have taken up, and may use. */
export function inUse(memberships: readonly Membership[]): Membership[] {
  return memberships.filter(({ isDisabled, isInvited }) => !isDisabled && !isInvited)
}
