import { text } from 'node:stream/consumers'
import { sql } from 'drizzle-orm'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { startDatabase } from '#lib/platform/db/start.ts'

// A process that leaves a customer, whose id is its input, with sums that can't be answered: more invoices than there are
// numbers to count them.

const database = await startDatabase()
const customerId = (await text(process.stdin)) as Caller['customerId']
await scope({ customerId }, (tx) =>
  tx.execute(sql`UPDATE invoice_sums SET count = 2147483647 WHERE customer_id = ${customerId}`),
)
await database.stop()
