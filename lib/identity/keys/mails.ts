import 'server-only'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { customersWithEndingKeys } from '#lib/identity/access/due-work.ts'
import { type AccountEvent, enqueueAccountMail } from '#lib/identity/access/sign-ins/account-mail.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { apiKeys } from '#lib/platform/db/schema/customers.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { mailSettings } from '#lib/platform/mail/settings.ts'
import { EXPIRY_NOTICE_DAYS } from './rules.ts'

/** Events of a key that its owner is notified of by mail. */
type KeyEvent = Extract<AccountEvent, `key-${string}`>

/**
 * Enqueues a mail to the owner of a key, in the transaction of the event; a job sends it. The owner is its issuer, or
 * each Admin for a key of the customer. Does nothing without a mail server.
 * @param count number of affected keys: this one and its successors
 */
export async function notifyOwner(
  tx: Transaction,
  customerId: CustomerId,
  keyId: string,
  { event, count = 1 }: { event: KeyEvent; count?: number },
): Promise<void> {
  if (!mailSettings()) return
  const { rows } = await tx.execute<{ id: string }>(sql`
    SELECT m.id FROM api_keys k
    JOIN members m ON m.customer_id = k.customer_id AND m.disabled_at IS NULL
      AND CASE WHEN k.belongs_to_customer OR k.issued_by IS NULL THEN 'admin' = ANY(m.roles) ELSE m.id = k.issued_by END
    WHERE k.customer_id = ${customerId} AND k.id = ${keyId}`)
  const about = count > 1 ? String(count) : null
  await enqueueAccountMail(
    tx,
    customerId,
    rows.map(({ id }) => id),
    { event, keyId, about },
  )
}

/**
 * Enqueues one mail for each key that expires soon. Skips keys with a successor, and keys whose whole lifetime is not
 * longer than the notice period. Does nothing without a mail server.
 * @returns how many keys
 */
export async function notifyOfExpiry(_requestId: string, signal: AbortSignal): Promise<number> {
  if (!mailSettings()) return 0
  let count = 0
  for (const customerId of await customersWithEndingKeys(EXPIRY_NOTICE_DAYS)) {
    if (signal.aborted) break
    count += await scope({ customerId }, (tx) => notifyExpiring(tx, customerId))
  }
  return count
}

async function notifyExpiring(tx: Transaction, customerId: CustomerId): Promise<number> {
  const { createdAt, expiresAt, revokedAt, replacedBy, endToldAt } = apiKeys
  const before = sql`make_interval(days => ${EXPIRY_NOTICE_DAYS}::int)`
  const isDue = sql`${expiresAt} BETWEEN now() AND now() + ${before} AND ${expiresAt} - ${createdAt} > ${before}`
  const ending = await tx
    .update(apiKeys)
    .set({ endToldAt: sql`now()` })
    .where(
      and(
        eq(apiKeys.customerId, customerId),
        isDue,
        isNull(revokedAt),
        isNull(replacedBy),
        isNull(endToldAt),
      ),
    )
    .returning({ id: apiKeys.id })
  for (const { id } of ending) await notifyOwner(tx, customerId, id, { event: 'key-ends' })
  return ending.length
}
