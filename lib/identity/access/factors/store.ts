import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { recoveryCodes, secondFactors } from '#lib/platform/db/schema/access/sign-ins.ts'
import type { StoredPasskey } from './passkeys.ts'
import { type Reaching, verifiedMethodsOf } from './rules.ts'
import { digestOfCode } from './secrets.ts'

/** Factor as listed to its member. */
export type FactorRow = {
  id: string
  kind: 'totp' | 'passkey'
  name: string
  reach: string | null
  createdAt: Date
  lastUsedAt: Date | null
}

/** Returns the factors that count for a member, oldest first, and the number of unused recovery codes. */
export async function listFactors(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
): Promise<{ factors: FactorRow[]; codesLeft: number }> {
  type Row = { [Name in keyof FactorRow]: FactorRow[Name] extends Date | null ? string : FactorRow[Name] }
  const { rows } = await tx.execute<Row>(sql`
    SELECT f.id, f.kind, f.name, f.reach, f.created_at AS "createdAt", f.last_used_at AS "lastUsedAt"
    FROM second_factors f ${ofMember(customerId, memberId, sql`f`)} ORDER BY f.created_at, f.id`)
  const codes = await tx.execute<{ left: number }>(sql`
    SELECT count(*)::int AS left FROM recovery_codes r ${ofMember(customerId, memberId, sql`r`)} AND r.used_at IS NULL`)
  const time = (text: string | null) => (text === null ? null : new Date(text))
  const factors = rows.map((row) => ({
    ...row,
    createdAt: new Date(row.createdAt),
    lastUsedAt: time(row.lastUsedAt),
  })) as FactorRow[]
  return { factors, codesLeft: codes.rows[0]?.left ?? 0 }
}

/** SQL condition for the rows that count for a member, as lib/identity/access/factors/rules.ts defines. */
function ofMember(customerId: CustomerId, memberId: string, row: SQL): SQL {
  return sql`JOIN members m ON m.person_id = ${row}.person_id
    WHERE m.customer_id = ${customerId} AND m.id = ${memberId} AND (${row}.reach = ${customerId}
      OR ${row}.reach IS NULL AND NOT m.factors_apart AND (m.factors_reset_at IS NULL OR ${row}.created_at > m.factors_reset_at))`
}

/** Stored form of a factor. */
export type NewRow = { personId: string; reach: string | null; name: string } & (
  | { kind: 'totp'; secret: string; lastStep: number }
  | ({ kind: 'passkey'; transports: string[] } & StoredPasskey)
)

/**
 * Stores a factor, in the scope of a customer at which it counts. A second app, or a known passkey, fails with 23505.
 */
export async function addFactor(tx: Transaction, row: NewRow): Promise<Reaching & { id: string }> {
  const { id, reach, createdAt } = secondFactors
  const [added] = await tx.insert(secondFactors).values(row).returning({ id, reach, createdAt })
  if (!added) throw new Error('The factor was not added.')
  return added
}

/** Removes factors of a person that count here: one, or all of a scope. @returns how many */
export async function removeFactors(
  tx: Transaction,
  personId: string,
  which: { id: string } | { reach: string | null },
): Promise<number> {
  const those = 'id' in which ? sql`id = ${which.id}` : sql`reach IS NOT DISTINCT FROM ${which.reach}`
  const deleted = await tx.execute(sql`DELETE FROM second_factors WHERE person_id = ${personId} AND ${those}`)
  return deleted.rowCount ?? 0
}

/** Replaces the digests of a person's recovery codes. */
export async function setCodes(
  tx: Transaction,
  personId: string,
  factorScope: string | null,
  codes: readonly string[],
): Promise<void> {
  await tx.execute(
    sql`DELETE FROM recovery_codes WHERE person_id = ${personId} AND reach IS NOT DISTINCT FROM ${factorScope}`,
  )
  const rows = codes.map((code) => ({
    personId,
    reach: factorScope,
    digest: digestOfCode(personId, code.replaceAll('-', '')),
  }))
  if (rows.length > 0) await tx.insert(recoveryCodes).values(rows)
}

/**
 * Consumes a recovery code.
 * @returns false where it was consumed before: only one of two concurrent requests succeeds
 */
export async function consumeCode(tx: Transaction, personId: string, id: string): Promise<boolean> {
  const used = await tx.execute(sql`
    UPDATE recovery_codes SET used_at = now()
    WHERE id = ${id} AND person_id = ${personId} AND used_at IS NULL`)
  return used.rowCount === 1
}

/** Notes in the session that its member has verified this factor. */
export async function noteFactor(
  tx: Transaction,
  customerId: CustomerId,
  session: string,
  factor: Reaching,
): Promise<void> {
  const verifiedMethods = sql.param(verifiedMethodsOf(factor))
  await tx.execute(sql`
    UPDATE sessions SET proven = coalesce(proven, '{password}') || ${verifiedMethods}::text[]
    WHERE customer_id = ${customerId} AND digest = ${session} AND NOT coalesce(proven, '{}') @> ${verifiedMethods}::text[]`)
}
