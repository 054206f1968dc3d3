import 'server-only'
import { and, eq, isNotNull, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { signOnDomains } from '#lib/platform/db/schema/access/sign-on.ts'

/** A domain without its record still counts for so many days, of which its Admins have been told. */
export const LOST_DAYS = 7

/** The customer's domains whose record was not looked for since yesterday, with what it says. */
export function dueDomains(tx: Transaction, customerId: CustomerId) {
  const { domain, token, checkedAt } = signOnDomains
  const isDue = sql`(${checkedAt} IS NULL OR ${checkedAt} < now() - interval '20 hours')`
  return tx
    .select({ domain, token })
    .from(signOnDomains)
    .where(and(proven(customerId), isDue))
}

/** A domain that is proven by its record, locked until the transaction ends. @param days after which a lost one is over */
export async function lockDomain(tx: Transaction, customerId: CustomerId, domain: string, days: number) {
  const { lostAt } = signOnDomains
  const rows = await tx
    .select({
      isLost: sql<boolean>`${lostAt} IS NOT NULL`,
      // Passwords are off, and no other domain leads to an issuer: without this one nobody could sign in.
      isLastWay: sql<boolean>`EXISTS (SELECT FROM customers c WHERE c.id = ${customerId} AND c.sign_on_only_since IS NOT NULL)
        AND NOT EXISTS (SELECT FROM sign_on_domains other
          JOIN identity_providers i ON i.customer_id = other.customer_id AND i.id = other.provider_id AND i.off_at IS NULL
          WHERE other.customer_id = ${customerId} AND other.domain <> ${domain} AND other.proven_at IS NOT NULL)`,
      isOver: sql<boolean>`coalesce(${lostAt} < now() - make_interval(days => ${days}::int), false)`,
    })
    .from(signOnDomains)
    .where(and(proven(customerId), eq(signOnDomains.domain, domain)))
    .for('update')
  return rows[0]
}

const AFTER = {
  there: { checkedAt: sql`now()` },
  found: { checkedAt: sql`now()`, lostAt: null },
  lost: { checkedAt: sql`now()`, lostAt: sql`coalesce(lost_at, now())` },
  // From now on it finds no issuer, and another customer may prove it.
  ended: { checkedAt: null, lostAt: null, provenAt: null, provenBy: null },
}

/** Writes down how a domain's record was found. */
export async function noteDomain(
  tx: Transaction,
  customerId: CustomerId,
  domain: string,
  found: keyof typeof AFTER,
): Promise<void> {
  await tx
    .update(signOnDomains)
    .set(AFTER[found])
    .where(and(eq(signOnDomains.customerId, customerId), eq(signOnDomains.domain, domain)))
}

function proven(customerId: CustomerId) {
  const { provenAt, provenBy } = signOnDomains
  return and(eq(signOnDomains.customerId, customerId), eq(provenBy, 'dns'), isNotNull(provenAt))
}
