import 'server-only'
import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Need } from '#lib/notifications/needs/contract.ts'
import { readNeeds } from '#lib/notifications/needs/read.ts'
import { serializeNeeds } from '#lib/notifications/needs/serialize.ts'
import type { CustomerId, Role } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { type Actor, recordAudit } from '#lib/platform/history/audit.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { isWeekly } from './rules.ts'
import type { To } from './store.ts'

// A weekly mail of needs to the members who subscribed.

/** Returns whether an address gets the weekly mail of needs. */
export async function readWeekly(tx: Transaction, customerId: CustomerId, email: string): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    SELECT FROM notice_recipients
    WHERE customer_id = ${customerId} AND lower(email) = lower(${email}) AND needs_since IS NOT NULL
      AND NOT 'needs' = ANY (stopped)`)
  return rows.length > 0
}

/** Subscribes a member's address, or unsubscribes it. Repeated or parallel calls change nothing and record no event. */
export async function setWeekly(
  tx: Transaction,
  customerId: CustomerId,
  { email, isOn, by }: { email: string; isOn: boolean; by: { actor: Actor; requestId: string } },
): Promise<void> {
  const { rows } = await tx.execute<{ id: string }>(
    isOn
      ? sql`
        INSERT INTO notice_recipients AS r (customer_id, id, email, needs_since)
        VALUES (${customerId}, ${randomUUID()}, ${email}, now())
        ON CONFLICT (customer_id, lower(email)) DO UPDATE
        SET failure = NULL, failed_at = NULL, needs_since = excluded.needs_since, stopped = array_remove(r.stopped, 'needs')
        WHERE r.needs_since IS NULL OR 'needs' = ANY (r.stopped)
        RETURNING id`
      : sql`
        UPDATE notice_recipients SET needs_since = NULL
        WHERE customer_id = ${customerId} AND lower(email) = lower(${email}) AND needs_since IS NOT NULL
        RETURNING id`,
  )
  const [changed] = rows
  if (!changed) return
  const action = isOn ? 'notices.started' : 'notices.stopped'
  await recordAudit(tx, customerId, { action, subject: changed.id, ...by, details: { notices: ['needs'] } })
}

type Wanting = { since: string; lastOn: string | null; id: string; roles: Role[]; profiles: string[] }

/** Returns the member of a recipient while subscribed and able to sign in; else undefined, and nothing is sent. */
async function wanting(tx: Transaction, { customerId, recipientId }: To): Promise<Wanting | undefined> {
  const { rows: recipients } = await tx.execute<Pick<Wanting, 'since' | 'lastOn'> & { email: string }>(sql`
    SELECT r.email, (r.needs_since AT TIME ZONE 'UTC')::date::text AS since,
      (SELECT max(told_on)::text FROM notice_mails n
        WHERE n.customer_id = ${customerId} AND n.recipient_id = ${recipientId} AND n.tells_needs) AS "lastOn"
    FROM notice_recipients r
    WHERE r.customer_id = ${customerId} AND r.id = ${recipientId} AND r.needs_since IS NOT NULL
      AND NOT 'needs' = ANY (r.stopped)`)
  const [recipient] = recipients
  if (!recipient) return undefined
  const { rows } = await tx.execute<Pick<Wanting, 'id' | 'roles' | 'profiles'>>(sql`
    SELECT m.id, m.roles,
      ARRAY(SELECT p.id FROM billing_profiles p WHERE p.customer_id = ${customerId}
        AND (m.billing_profiles IS NULL OR p.id = ANY (m.billing_profiles))) AS profiles
    FROM members m
    WHERE m.customer_id = ${customerId} AND lower(m.email) = lower(${recipient.email})
      AND m.disabled_at IS NULL AND m.invited_at IS NULL`)
  return rows[0] && { ...recipient, ...rows[0] }
}

/**
 * Returns the present needs of the recipient's member without the dismissed ones; none where the member is not
 * subscribed.
 */
export async function listMailNeeds(tx: Transaction, to: To): Promise<Need[]> {
  const member = await wanting(tx, to)
  return member ? needsOf(tx, to, member) : []
}

/** Returns whether today's mail includes needs: the first mail of the week with any need. */
export async function isNeedsMailDue(tx: Transaction, to: To, today: string): Promise<boolean> {
  const member = await wanting(tx, to)
  if (!member || !isWeekly({ ...member, today })) return false
  return (await needsOf(tx, to, member)).length > 0
}

async function needsOf(tx: Transaction, { customerId }: To, { id, roles, profiles }: Wanting) {
  const loaded = await readNeeds(tx, { customerId, roles, billingProfiles: profiles, memberId: id })
  return serializeNeeds(loaded, env().baseUrl).needs.filter(({ isDismissed }) => !isDismissed)
}
