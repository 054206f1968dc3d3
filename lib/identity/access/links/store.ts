import 'server-only'
import { randomBytes, randomUUID } from 'node:crypto'
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import {
  addToCredentialIndex,
  digestOf,
  removeFromCredentialIndex,
  updateCredentialIndex,
} from '#lib/platform/caller/credentials.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { accountLinks } from '#lib/platform/db/schema/access/people.ts'
import { members } from '#lib/platform/db/schema/customers.ts'
import { enqueue, type Outcome } from '#lib/platform/outbox/store.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { LINK_SECONDS, type LinkKind } from './rules.ts'

/** Member that a link is for, and its author: a member's id, or `operator`. */
export type NewLink = { memberId: string; kind: LinkKind; by: string }

/**
 * Makes a link for a member and withdraws the former one of its kind. The secret is returned once and can't be read
 * again. A reader of the secret can redeem the link, so it opens that membership only. The caller checks the permission
 * and records the audit event.
 */
export async function addLink(
  tx: Transaction,
  customerId: CustomerId,
  link: NewLink,
): Promise<{ secret: string; expiresAt: Date }> {
  const secret = newSecret()
  const { expiresAt } = await insert(tx, customerId, link, { digest: digestOf(secret) })
  return { secret, expiresAt }
}

/**
 * Like `addLink`, but a job mails the link to the member's address, and no other person sees its secret. Its lifetime
 * starts with the mail. Requires a mail server.
 */
export async function mailLink(tx: Transaction, customerId: CustomerId, link: NewLink): Promise<void> {
  // Processes of the previous release look for links that are due: this one never is.
  const { id } = await insert(tx, customerId, link, { state: 'WAITING', notBefore: sql`'infinity'` })
  await enqueue(tx, customerId, [{ kind: 'link', recipient: id }])
}

/** Returns the address of a link. */
export function addressOf(kind: LinkKind, secret: string): string {
  return `${env().baseUrl}/${kind}/${secret}`
}

/** Returns a new secret of 256 bits. Only its digest is stored. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

async function insert(
  tx: Transaction,
  customerId: CustomerId,
  { memberId, kind, by }: NewLink,
  more: { digest: string } | { state: 'WAITING'; notBefore: SQL },
): Promise<{ id: string; expiresAt: Date }> {
  const memberFilter = and(eq(members.customerId, customerId), eq(members.id, memberId))
  // Of two concurrent links, the second withdraws the first.
  await tx.select({ id: members.id }).from(members).where(memberFilter).for('no key update')
  await withdrawLinks(tx, customerId, memberId, kind)
  const expiresAt = sql`now() + make_interval(secs => ${LINK_SECONDS[kind]})`
  const id = randomUUID()
  if ('digest' in more) await addToCredentialIndex(tx, customerId, 'link', { digest: more.digest, id })
  const [row] = await tx
    .insert(accountLinks)
    .values({ customerId, id, memberId, kind, madeBy: by, expiresAt, ...more })
    .returning({ expiresAt: accountLinks.expiresAt })
  if (!row) throw new Error('The link was not added.')
  return { id, expiresAt: row.expiresAt }
}

/** Withdraws a member's links, of one kind or of all. */
export async function withdrawLinks(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  kind?: LinkKind,
): Promise<void> {
  const ofMember = and(eq(accountLinks.customerId, customerId), eq(accountLinks.memberId, memberId))
  const open = and(ofMember, kind && eq(accountLinks.kind, kind), IS_OPEN)
  await tx.update(accountLinks).set({ withdrawnAt: sql`now()` }).where(open)
}

/**
 * Consumes a link.
 * @returns false where it is not valid any more: only one of two concurrent requests succeeds
 */
export async function consumeLink(tx: Transaction, customerId: CustomerId, id: string): Promise<boolean> {
  const linkFilter = and(eq(accountLinks.customerId, customerId), eq(accountLinks.id, id))
  const used = await tx
    .update(accountLinks)
    .set({ usedAt: sql`now()` })
    .where(and(linkFilter, IS_OPEN, sql`${accountLinks.expiresAt} > now()`))
  return used.rowCount === 1
}

/** Lists the customer's links that are valid or waiting for their mail; of one member, or of all. */
export function listOpenLinks(tx: Transaction, customerId: CustomerId, memberId?: string) {
  const { kind, madeBy, createdAt, expiresAt, state } = accountLinks
  const openFilter = and(
    eq(accountLinks.customerId, customerId),
    memberId === undefined ? undefined : eq(accountLinks.memberId, memberId),
  )
  return tx
    .select({ memberId: accountLinks.memberId, kind, madeBy, createdAt, expiresAt, mailState: state })
    .from(accountLinks)
    .where(and(openFilter, IS_OPEN, sql`${expiresAt} > now()`))
}

const IS_OPEN = and(isNull(accountLinks.usedAt), isNull(accountLinks.withdrawnAt))

/** Retention of links; after it, the author and the time of an invitation are of no use any more. */
const RETENTION = sql`interval '90 days'`

/**
 * Removes the customer's links that expired before the retention.
 * @returns how many
 */
export async function pruneLinks(tx: Transaction, customerId: CustomerId): Promise<number> {
  const isOld = sql`${accountLinks.expiresAt} < now() - ${RETENTION}`
  return removeLinks(tx, customerId, isOld)
}

/** Removes the customer's links that match the condition. @returns how many */
export async function removeLinks(
  tx: Transaction,
  customerId: CustomerId,
  which: SQL | undefined,
): Promise<number> {
  const deleted = await tx
    .delete(accountLinks)
    .where(and(eq(accountLinks.customerId, customerId), which))
    .returning({ id: accountLinks.id })
  const ids = deleted.map(({ id }) => id)
  await removeFromCredentialIndex(tx, customerId, 'link', ids)
  return ids.length
}

/** Link to mail, with its recipient. */
export type MailedLink = {
  kind: LinkKind
  secret: string
  email: string
  customer: string
}

/**
 * Makes the secret of a link that waits for its mail; its lifetime starts now. A mail that is repeated gets a new
 * secret. Undefined where the link was used or withdrawn.
 */
export async function startLink(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<MailedLink | undefined> {
  const secret = newSecret()
  const { rows: started } = await tx.execute<{ memberId: string }>(sql`
    UPDATE account_links SET digest = ${digestOf(secret)}, expires_at = now() + make_interval(secs =>
      CASE kind WHEN 'reset' THEN ${LINK_SECONDS.reset}::int ELSE ${LINK_SECONDS.invitation}::int END)
    WHERE customer_id = ${customerId} AND id = ${id} AND used_at IS NULL AND withdrawn_at IS NULL
    RETURNING member_id AS "memberId"`)
  if (!started[0]) return undefined
  // A separate statement: Citus rejects an UPDATE combined with a reference table.
  const { rows } = await tx.execute<Omit<MailedLink, 'secret'>>(sql`
    SELECT t.kind, m.email, c.name AS customer
    FROM account_links t
    JOIN members m ON m.customer_id = ${customerId} AND m.id = ${started[0].memberId}
    JOIN customers c ON c.id = ${customerId}
    WHERE t.customer_id = ${customerId} AND t.id = ${id}`)
  if (!rows[0]) return undefined
  await updateCredentialIndex(tx, customerId, 'link', { digest: digestOf(secret), id })
  return { ...rows[0], secret }
}

/** Stores the outcome of a link's mail, which the list of members shows. */
export async function setLinkMail(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  outcome: Outcome,
): Promise<void> {
  const reason = 'reason' in outcome ? outcome.reason : null
  await tx
    .update(accountLinks)
    .set({ state: outcome.state, reason })
    .where(and(eq(accountLinks.customerId, customerId), eq(accountLinks.id, id)))
}
