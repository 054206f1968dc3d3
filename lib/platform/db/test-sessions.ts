import { randomUUID } from 'node:crypto'
import { addToCredentialIndex, digestOf } from '#lib/platform/caller/credentials.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { sessions } from './schema/access/sign-ins.ts'
import { scope } from './scope.ts'

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0'

/** Adds a session of a member in Firefox, and returns the id for its cookie. */
export async function addSession(
  customerId: string,
  memberId: string,
  { sid = randomUUID(), ...overrides }: Partial<typeof sessions.$inferInsert> & { sid?: string } = {},
): Promise<string> {
  const row = { customerId, memberId, digest: digestOf(sid), address: '192.0.2.17', userAgent: FIREFOX }
  const values = { ...row, ...overrides }
  const caller = { customerId: customerId as CustomerId }
  await scope(caller, async (tx) => {
    await addToCredentialIndex(tx, caller.customerId, 'session', { digest: values.digest, id: values.digest })
    await tx.insert(sessions).values(values)
  })
  return sid
}
