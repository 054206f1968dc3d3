import pg from 'pg'
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

/** SQL of a list of texts. Citus joins no temporary table with the tables that it spreads. */
export function sqlList(values: readonly string[]): string {
  return `ARRAY[${values.map((value) => pg.escapeLiteral(value)).join(', ')}]::text[]`
}

/** New ids of the source customer's billing profiles, by the present ones. */
export type ProfileIds = ReadonlyMap<string, string>

/**
 * Returns the billing profiles to move, and creates temporary tables of the active members and keys to move. Disabled
 * members, and revoked or expired keys, stay with the history that names them.
 * @throws Problem where a billing profile to rename does not exist
 */
export async function prepare({ query, write }: OwnersWork, merge: Merge): Promise<ProfileIds> {
  const { from, into, profiles, leaveMembers } = merge
  const rows = await query<{ id: string }>(
    'SELECT id FROM billing_profiles WHERE customer_id = $1 ORDER BY id',
    [from],
  )
  const present = new Set(rows.map(({ id }) => id))
  for (const id of profiles.keys())
    if (!present.has(id)) throw new Problem('not_found', `${from} has no billing profile "${id}".`)
  await write(
    `CREATE TEMP TABLE going_members ON COMMIT DROP AS
     SELECT m.customer_id, m.id, m.email FROM members m WHERE m.customer_id = $1 AND m.disabled_at IS NULL
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
  return new Map([...present].map((id) => [id, profiles.get(id) ?? id]))
}

const SIZES: readonly (readonly [what: string, rows: string])[] = [
  ['assets', 'assets'],
  ['license changes', 'license_changes'],
  ['invoices', 'invoices'],
  ['invoice lines', 'line_items'],
  ['documents', 'invoice_files'],
  ['billing profiles', 'billing_profiles'],
  ['issuers', 'issuers'],
  ['members', 'going_members'],
  ['keys', 'going_keys'],
  ['notice recipients', 'notice_recipients'],
]

/** Returns the number of rows to move, by display name. */
export async function sizesOf(
  { query }: OwnersWork,
  { from }: Merge,
): Promise<{ what: string; count: string }[]> {
  const sizes: { what: string; count: string }[] = []
  for (const [what, rows] of SIZES) {
    const [row] = await query<{ count: string }>(
      `SELECT count(*)::text AS count FROM ${rows} WHERE customer_id = $1`,
      [from],
    )
    sizes.push({ what, count: row?.count ?? '0' })
  }
  return sizes
}
