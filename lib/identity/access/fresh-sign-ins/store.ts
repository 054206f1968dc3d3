import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { sessions } from '#lib/platform/db/schema/access/sign-ins.ts'

/** Notes that the member has proven now, by the database's clock, that it is they who use this session. */
export async function noteProof(tx: Transaction, customerId: CustomerId, digest: string): Promise<void> {
  await tx
    .update(sessions)
    .set({ provenAt: sql`now()` })
    .where(and(eq(sessions.customerId, customerId), eq(sessions.digest, digest)))
}
