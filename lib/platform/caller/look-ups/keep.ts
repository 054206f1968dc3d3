import 'server-only'
import { sql } from 'drizzle-orm'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { CustomerId } from '../rules.ts'
import type { Kind } from './kinds.ts'

// Written by who writes the rows, in the same transaction. The triggers of the migration `look-ups` do the same for processes
// of the release before, until a later release drops them: they leave alone what is right already.

/**
 * Notes whose a new credential is, before its row is added.
 * @throws Error of the database, 23505, where it is another customer's
 */
export async function noteLookUp(
  tx: Transaction,
  customerId: CustomerId,
  kind: Kind,
  { digest, id }: { digest: string; id: string },
): Promise<void> {
  await tx.execute(sql`
    INSERT INTO look_ups (kind, digest, customer_id, id) VALUES (${kind}, ${digest}, ${customerId}, ${id})`)
}

/** The same for a row that has, or had, another one: after it was written. */
export async function changeLookUp(
  tx: Transaction,
  customerId: CustomerId,
  kind: Kind,
  found: { digest: string; id: string },
): Promise<void> {
  await dropLookUps(tx, customerId, kind, [found.id])
  await noteLookUp(tx, customerId, kind, found)
}

/** The same for the address of a member who was added. Where the trigger has written it already, it is right. */
export async function noteAddress(
  tx: Transaction,
  customerId: CustomerId,
  { email, id }: { email: string; id: string },
): Promise<void> {
  await tx.execute(sql`
    INSERT INTO look_ups (kind, digest, customer_id, id)
    VALUES ('address', address_digest(${email}), ${customerId}, ${id}) ON CONFLICT DO NOTHING`)
}

/** Forgets those of rows that were removed. @param ids by which the customer's rows were found */
export async function dropLookUps(
  tx: Transaction,
  customerId: CustomerId,
  kind: Kind | 'address',
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  await tx.execute(sql`
    DELETE FROM look_ups WHERE customer_id = ${customerId} AND kind = ${kind} AND id = ANY(${sql.param(ids)}::text[])`)
}
