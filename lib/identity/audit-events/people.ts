import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import type { AuditEvent } from './contract.ts'
import { listNames, listRecentActors } from './store.ts'

/** Returns the actors of the newest events, and the names of the members and keys that are subjects. */
export function readPeople({ customerId }: { customerId: CustomerId }, events: readonly AuditEvent[]) {
  return readScope({ customerId }, async (tx) => ({
    actors: await listRecentActors(tx, customerId),
    names: await listNames(
      tx,
      customerId,
      events.map(({ subject }) => subject),
    ),
  }))
}
