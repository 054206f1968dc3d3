import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import { database } from '#lib/platform/db/client.ts'
import { lookUp } from '../store.ts'
import { areFilled } from './find.ts'

/** The memberships of an address: of each, the customer in the one list, and the member in the other. */
export type Memberships = { email: string; customers: string[]; ids: string[] }

/**
 * Where somebody with this address is a member. An address that nobody has gets an answer of the same shape, so that what
 * comes next is the same, too.
 * @param email in SQL, in any case of letters
 */
export async function findAddress(email: SQL): Promise<Memberships> {
  const from = (await areFilled(database().signIn))
    ? sql`look_ups WHERE kind = 'address' AND digest = address_digest(${email})`
    : sql`members WHERE lower(email) = lower(${email})`
  return lookUp('signIn', async (tx) => {
    const { rows } = await tx.execute<{ email: string; customer_id: string; id: string }>(
      sql`SELECT ${email}::text AS email, customer_id, id FROM ${from}`,
    )
    return {
      email: rows[0]?.email ?? '',
      customers: [...new Set(rows.map((row) => row.customer_id))],
      ids: [...new Set(rows.map((row) => row.id))],
    }
  })
}
