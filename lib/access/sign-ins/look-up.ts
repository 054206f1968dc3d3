import 'server-only'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '../rules.ts'
import { isNotGone, lookUp, minted } from '../store.ts'

/** Whom a sign-in is about, and whether their account knows the browser. */
export type SignInRow = {
  customerId: CustomerId
  memberId: string
  name: string
  passwordHash: string | null
  isKnown: boolean
}

/**
 * What sign-in compares: the member with this address in any case; undefined also when disabled.
 * @param browser digest of the browser's mark, where it has one
 */
export function findSignIn(email: string, browser?: string): Promise<SignInRow | undefined> {
  return lookUp('signIn', async (tx) => {
    const { rows } = await tx.execute<{
      customer_id: string
      id: string
      name: string
      password_hash: string | null
      is_known: boolean
    }>(sql`
      SELECT m.customer_id, m.id, m.name, m.password_hash, EXISTS (
        SELECT FROM known_browsers b
        WHERE b.customer_id = m.customer_id AND b.member_id = m.id AND b.digest = ${browser ?? ''}) AS is_known
      FROM members m JOIN customers c ON c.id = m.customer_id
      WHERE lower(m.email) = lower(${email}) AND m.disabled_at IS NULL AND ${sql.raw(isNotGone('c'))}`)
    const row = rows[0]
    if (!row) return undefined
    const { id: memberId, name, password_hash: passwordHash, is_known: isKnown } = row
    return { customerId: minted(row.customer_id), memberId, name, passwordHash, isKnown }
  })
}

/** What a member's password is compared with; undefined where there is none. */
export function findPasswordHash(customerId: CustomerId, memberId: string): Promise<string | undefined> {
  return lookUp('signIn', async (tx) => {
    const { rows } = await tx.execute<{ password_hash: string | null }>(sql`
      SELECT password_hash FROM members WHERE customer_id = ${customerId} AND id = ${memberId}`)
    return rows[0]?.password_hash ?? undefined
  })
}
