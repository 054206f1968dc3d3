import { text } from 'node:stream/consumers'
import { sql } from 'drizzle-orm'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { startDatabase } from '#lib/platform/db/start.ts'

// A process that makes a quarter of an hour pass since the members of a customer, whose id is its input, last proved who
// they are.

const database = await startDatabase()
const customerId = (await text(process.stdin)) as Caller['customerId']
await scope({ customerId }, (tx) =>
  tx.execute(sql`
    UPDATE sessions SET proven_at = now() - interval '15 minutes' WHERE customer_id = ${customerId}`),
)
await database.stop()
