import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { OwnersWork } from '#lib/server/pruning/as-owner.ts'

export type Merge = {
  from: CustomerId
  into: CustomerId
  /** Billing profiles that get another id, by the one that they have. */
  profiles: ReadonlyMap<string, string>
  /** Whether members of both customers stay behind with their keys. */
  leaveMembers: boolean
}

/**
 * Creates temporary tables of the rows to move: billing profiles with their new ids, and active members and keys.
 * Disabled members, and revoked or expired keys, stay with the history that names them.
 * @throws Problem where a billing profile to rename does not exist
 */
export async function prepare({ write }: OwnersWork, merge: Merge): Promise<void> {
  const { from, into, profiles, leaveMembers } = merge
  await write(
    'CREATE TEMP TABLE going_profiles ON COMMIT DROP AS SELECT id, id AS new_id FROM billing_profiles WHERE customer_id = $1',
    [from],
  )
  for (const [id, newId] of profiles) {
    const renamed = await write('UPDATE going_profiles SET new_id = $2 WHERE id = $1', [id, newId])
    if (renamed === 0) throw new Problem('not_found', `${from} has no billing profile "${id}".`)
  }
  await write(
    `CREATE TEMP TABLE going_members ON COMMIT DROP AS
     SELECT m.id, m.email FROM members m WHERE m.customer_id = $1 AND m.disabled_at IS NULL
       AND NOT ($3 AND EXISTS (SELECT FROM members o WHERE o.customer_id = $2 AND lower(o.email) = lower(m.email)))`,
    [from, into, leaveMembers],
  )
  // With its digest, which the remaining row loses.
  await write(
    `CREATE TEMP TABLE going_keys ON COMMIT DROP AS
     SELECT k.* FROM api_keys k WHERE k.customer_id = $1 AND k.revoked_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > now())
       AND (k.issued_by IS NULL OR k.issued_by IN (SELECT id FROM going_members))`,
    [from],
  )
}

/** Returns the number of rows to move, by display name. */
export async function sizesOf(
  { query }: OwnersWork,
  { from }: Merge,
): Promise<{ what: string; count: string }[]> {
  const countOf = (what: string, rows: string) =>
    `SELECT '${what}' AS what, count(*)::text AS count FROM ${rows}`
  const customerRows = (table: string) => `${table} WHERE customer_id = $1`
  return query<{ what: string; count: string }>(
    [
      countOf('assets', customerRows('assets')),
      countOf('license changes', customerRows('license_changes')),
      countOf('invoices', customerRows('invoices')),
      countOf('invoice lines', customerRows('line_items')),
      countOf('documents', customerRows('invoice_files')),
      countOf('billing profiles', 'going_profiles'),
      countOf('issuers', customerRows('issuers')),
      countOf('members', 'going_members'),
      countOf('keys', 'going_keys'),
      countOf('notice recipients', customerRows('notice_recipients')),
    ].join(' UNION ALL '),
    [from],
  )
}
