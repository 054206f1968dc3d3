import { text } from 'node:stream/consumers'
import { sql } from 'drizzle-orm'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { startDatabase } from '#lib/platform/db/start.ts'

// Process that leaves a customer with sums that overflow: more invoices than the count's type can hold. Its input is
// the customer's id.

const database = await startDatabase()
const customerId = (await text(process.stdin)) as Caller['customerId']
await scope({ customerId }, (tx) =>
  tx.execute(sql`UPDATE invoice_sums SET count = 2147483647 WHERE customer_id = ${customerId}`),
)
await database.stop()
