import 'server-only'
import { sql } from 'drizzle-orm'
import { readNoticeLink } from '#lib/identity/access/notice-link.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { type Actor, recordAudit } from '#lib/platform/history/audit.ts'
import { isKind, KINDS, type Kind, type NoticeSubscription } from './rules.ts'
import { readAddressee, type To } from './store.ts'

/** @returns undefined for an invalid link, or one whose recipient was removed */
export async function readNoticeSubscription(link: string): Promise<NoticeSubscription | undefined> {
  const target = readNoticeLink(link)
  if (!target) return undefined
  return readScope(target, async (tx) => {
    const addressee = await readAddressee(tx, target)
    if (!addressee) return undefined
    const { rows } = await tx.execute<{ set: Kind[]; stopped: Kind[] }>(sql`
      SELECT stopped, ARRAY(
        SELECT unnest(kinds) FROM notice_subscriptions
        WHERE customer_id = ${target.customerId} AND recipient_id = ${target.recipientId}
        UNION SELECT 'licenses' WHERE licenses_since IS NOT NULL
        UNION SELECT 'needs' WHERE needs_since IS NOT NULL) AS set
      FROM notice_recipients WHERE customer_id = ${target.customerId} AND id = ${target.recipientId}`)
    const { set, stopped } = rows[0] ?? { set: [], stopped: [] }
    const notices = KINDS.filter((notice) => set.includes(notice))
    return {
      email: addressee.email,
      customer: addressee.customer,
      notice: isKind(target.notice) ? target.notice : 'all',
      notices: notices.map((notice) => ({ notice, isOn: !stopped.includes(notice) })),
    }
  })
}

/**
 * Stops notices, or restarts them from now on; a repetition changes nothing.
 * @param what the notices; undefined for the notice of the link
 * @returns false for an invalid link, or one whose recipient was removed
 */
export async function changeNoticeSubscription(
  link: string,
  command: 'stop' | 'start',
  what: Kind | 'all' | undefined,
  requestId: string,
): Promise<boolean> {
  const target = readNoticeLink(link)
  if (!target) return false
  const chosen = what ?? target.notice
  const notices = isKind(chosen) ? [chosen] : [...KINDS]
  // Their own wish, which a closed customer does not take from them.
  return scope(target, (tx) => setStopped(tx, target, { command, notices, requestId }), {
    evenIfClosed: true,
  })
}

async function setStopped(
  tx: Transaction,
  { customerId, recipientId: id }: To,
  { command, notices, requestId }: { command: 'stop' | 'start'; notices: Kind[]; requestId: string },
): Promise<boolean> {
  const { rows } = await tx.execute<{ email: string; stopped: Kind[] }>(sql`
      SELECT email, stopped FROM notice_recipients WHERE customer_id = ${customerId} AND id = ${id}
      FOR NO KEY UPDATE`)
  const [recipient] = rows
  if (!recipient) return false
  const changed = notices.filter((notice) => recipient.stopped.includes(notice) === (command === 'start'))
  if (changed.length === 0) return true
  const stopped = KINDS.filter((notice) => recipient.stopped.includes(notice) !== changed.includes(notice))
  await tx.execute(sql`
      UPDATE notice_recipients SET stopped = ${sql.param(stopped)}::text[]
      WHERE customer_id = ${customerId} AND id = ${id}`)
  // News from the pause is not news any more.
  if (command === 'start' && changed.includes('new'))
    await tx.execute(sql`
        UPDATE notice_subscriptions SET since = now() WHERE customer_id = ${customerId} AND recipient_id = ${id}`)
  if (command === 'start' && changed.includes('licenses'))
    await tx.execute(sql`
        UPDATE notice_recipients SET licenses_since = now()
        WHERE customer_id = ${customerId} AND id = ${id} AND licenses_since IS NOT NULL`)
  const actor: Actor = { kind: 'recipient', id, name: recipient.email }
  const action = command === 'stop' ? 'notices.stopped' : 'notices.started'
  await recordAudit(tx, customerId, {
    action,
    subject: id,
    actor,
    requestId,
    details: { notices: changed },
  })
  return true
}
