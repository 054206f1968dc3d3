import { text } from 'node:stream/consumers'
import { sql } from 'drizzle-orm'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { startDatabase } from '#lib/platform/db/start.ts'

// Process that backdates the last proof of identity of a customer's members by a quarter of an hour. Its input is the
// customer's id.

const database = await startDatabase()
const customerId = (await text(process.stdin)) as Caller['customerId']
await scope({ customerId }, (tx) =>
  tx.execute(sql`
    UPDATE sessions SET proven_at = now() - interval '15 minutes' WHERE customer_id = ${customerId}`),
)
await database.stop()
