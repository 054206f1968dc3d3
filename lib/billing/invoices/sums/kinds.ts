import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import type { Owner } from '../selection.ts'

/** Distinct values among a customer's issued invoices, in alphabetical order: the choices of filters. */
export type Kinds = { issuers: string[]; platforms: string[]; currencies: string[] }

/** Returns the distinct values of the invoices that the caller may see. */
export function readKinds(caller: Caller): Promise<Kinds> {
  return readScope(caller, (tx) => listKinds(tx, caller), { mayBeOld: true })
}

/**
 * Reads each combination once by a loose index scan over the stored sums, independent of the number of months and
 * invoices.
 */
export async function listKinds(tx: Transaction, { customerId, billingProfiles }: Owner): Promise<Kinds> {
  const next = (profile: SQL, after: SQL) => sql`(
    SELECT issuer, platform, currency FROM invoice_sums
    WHERE customer_id = ${customerId} AND billing_profile_id = ${profile} ${after}
    ORDER BY issuer, platform, currency LIMIT 1)`
  const { rows } = await tx.execute<{ issuer: string; platform: string; currency: string }>(sql`
    WITH RECURSIVE kinds AS (
      SELECT profile, first.* FROM unnest(${sql.param([...billingProfiles])}::text[]) AS profile
      CROSS JOIN LATERAL ${next(sql`profile`, sql``)} AS first
      UNION ALL
      SELECT kinds.profile, further.* FROM kinds CROSS JOIN LATERAL ${next(
        sql`kinds.profile`,
        sql`AND (issuer, platform, currency) > (kinds.issuer, kinds.platform, kinds.currency)`,
      )} AS further)
    SELECT DISTINCT issuer, platform, currency FROM kinds`)
  const each = (kind: 'issuer' | 'platform' | 'currency') =>
    [...new Set(rows.map((row) => row[kind]))].sort((a, b) => a.localeCompare(b, 'en'))
  return { issuers: each('issuer'), platforms: each('platform'), currencies: each('currency') }
}
