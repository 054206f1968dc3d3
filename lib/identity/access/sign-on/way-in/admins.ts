import 'server-only'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { isSignOnOnly } from '../providers.ts'

/**
 * The Admins who are sure to get in by single sign-on: each has done so by a provider as it is now, to which a proven domain
 * leads them.
 * @param besides the id of a provider by which nobody has signed in as it is now
 */
export async function adminsBySignOn(
  tx: Transaction,
  customerId: CustomerId,
  besides = '',
): Promise<Set<string>> {
  const { rows } = await tx.execute<{ id: string }>(sql`
    SELECT m.id FROM sign_on_subjects s
    JOIN identity_providers p ON p.customer_id = ${customerId} AND p.id = s.provider_id
    JOIN members m ON m.customer_id = ${customerId} AND m.id = s.member_id
    JOIN sign_on_domains d ON d.customer_id = ${customerId} AND d.provider_id = p.id
      AND d.domain = lower(split_part(m.email, '@', 2))
    WHERE s.customer_id = ${customerId} AND p.id <> ${besides} AND p.off_at IS NULL AND d.proven_at IS NOT NULL
      AND s.last_sign_in_at >= p.changed_at AND m.roles @> '{admin}' AND m.disabled_at IS NULL AND m.invited_at IS NULL
      AND m.removed_at IS NULL`)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Whether passwords are off, and this member is the one Admin who is sure to get in. To be asked while all Admins are locked:
 * whoever turns passwords off is one of them.
 */
export async function isLastBySignOn(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
): Promise<boolean> {
  if (!(await isSignOnOnly(tx, customerId))) return false
  const sure = await adminsBySignOn(tx, customerId)
  return sure.size === 1 && sure.has(memberId)
}
