import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import { isSignOnOnly, listProviders, type ProviderRow } from '#lib/identity/access/sign-on/providers.ts'
import { hasFullAdmin } from '#lib/identity/members/access.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { identityProviders } from '#lib/platform/db/schema/access/sign-on.ts'

/**
 * Locks all of the customer's identity providers until the transaction ends, and returns them. Every change of sign-in
 * methods does so before it locks a member, so that two Admins can't each rely on the method that the other one
 * removes.
 */
export async function lockProviders(tx: Transaction, customerId: CustomerId): Promise<ProviderRow[]> {
  const { id } = identityProviders
  const customerFilter = eq(identityProviders.customerId, customerId)
  await tx.select({ id }).from(identityProviders).where(customerFilter).orderBy(id).for('no key update')
  return listProviders(tx, customerId)
}

/**
 * Checks after a change, before the commit, that an Admin can still sign in.
 * @param exceptProviderId id of a provider whose new settings no member has signed in with yet
 * @throws Problem `last_way_in` where passwords are off, and no Admin certainly gets in by single sign-on
 */
export async function checkAdminAccess(
  tx: Transaction,
  customerId: CustomerId,
  exceptProviderId = '',
): Promise<void> {
  if (!(await isSignOnOnly(tx, customerId))) return
  const admins = [...(await adminsBySignOn(tx, customerId, exceptProviderId)).values()]
  if (admins.includes(true) || (admins.length > 0 && !(await hasFullAdmin(tx, customerId)))) return
  throw new Problem(
    'last_way_in',
    'Passwords are off, and no Admin who sees all billing profiles would be sure to get in. Allow passwords first.',
  )
}

/** Returns whether the caller's session was opened by one of the customer's providers with its current settings. */
export async function isOpenedBySignOn(
  tx: Transaction,
  { customerId, id, session = '' }: Caller,
): Promise<boolean> {
  const { rowCount } = await tx.execute(sql`
    SELECT FROM sign_on_sessions o
    JOIN identity_providers p ON p.customer_id = ${customerId} AND p.id = o.provider_id
    JOIN sign_on_subjects s ON s.customer_id = ${customerId} AND s.provider_id = p.id AND s.member_id = ${id}
    WHERE o.customer_id = ${customerId} AND o.digest = ${session} AND p.off_at IS NULL
      AND s.last_sign_in_at >= p.changed_at`)
  return rowCount === 1
}

/** Returns the last sign-in time of each of the customer's providers. */
export async function lastSignIns(tx: Transaction, customerId: CustomerId): Promise<Map<string, number>> {
  const { rows } = await tx.execute<{ id: string; at: string }>(sql`
    SELECT provider_id AS id, (extract(epoch FROM max(last_sign_in_at)) * 1000)::bigint::text AS at
    FROM sign_on_subjects WHERE customer_id = ${customerId} GROUP BY provider_id`)
  return new Map(rows.map(({ id, at }) => [id, Number(at)]))
}

/** Returns the provider with this id. @throws Problem `not_found` */
export function providerIn(providers: readonly ProviderRow[], id: string): ProviderRow {
  const provider = providers.find((one) => one.id === id)
  if (!provider) throw new Problem('not_found', 'There is no such identity provider.')
  return provider
}

/** Removes a provider without references. */
export async function deleteProvider(
  tx: Transaction,
  customerId: CustomerId,
  providerId: string,
): Promise<void> {
  const providerFilter = and(
    eq(identityProviders.customerId, customerId),
    eq(identityProviders.id, providerId),
  )
  await tx.delete(identityProviders).where(providerFilter)
}

/**
 * Returns the Admins who certainly get in by single sign-on, by id, and whether they see all billing profiles: each has
 * done so by a provider with its current settings, to which a proven domain leads.
 * @param exceptProviderId id of a provider whose new settings no member has signed in with yet
 */
async function adminsBySignOn(
  tx: Transaction,
  customerId: CustomerId,
  exceptProviderId = '',
): Promise<Map<string, boolean>> {
  const { rows } = await tx.execute<{ id: string; seesAll: boolean }>(sql`
    SELECT m.id, m.billing_profiles IS NULL AS "seesAll" FROM sign_on_subjects s
    JOIN identity_providers p ON p.customer_id = ${customerId} AND p.id = s.provider_id
    JOIN members m ON m.customer_id = ${customerId} AND m.id = s.member_id
    JOIN sign_on_domains d ON d.customer_id = ${customerId} AND d.provider_id = p.id
      AND d.domain = lower(split_part(m.email, '@', 2))
    WHERE s.customer_id = ${customerId} AND p.id <> ${exceptProviderId} AND p.off_at IS NULL AND d.proven_at IS NOT NULL
      AND s.last_sign_in_at >= p.changed_at AND m.roles @> '{admin}' AND m.disabled_at IS NULL AND m.invited_at IS NULL
      AND m.removed_at IS NULL`)
  return new Map(rows.map(({ id, seesAll }) => [id, seesAll]))
}

/**
 * Returns whether passwords are off and this member is the only Admin who certainly gets in, or the only one of those
 * who sees all billing profiles. Call while all Admins are locked: the Admin who turns passwords off is one of them.
 */
export async function isLastBySignOn(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
): Promise<boolean> {
  if (!(await isSignOnOnly(tx, customerId))) return false
  const sure = await adminsBySignOn(tx, customerId)
  const seesAll = sure.get(memberId)
  if (seesAll === undefined) return false
  sure.delete(memberId)
  return ![...sure.values()].some((othersSeeAll) => othersSeeAll || !seesAll)
}
