import { json } from 'node:stream/consumers'
import { sql } from 'drizzle-orm'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { startDatabase } from '#lib/platform/db/start.ts'

// Process that adds past seat samples of a customer's assets. Its input is JSON: the customer's id, and for each sample
// the asset, its age in days, and the purchased and assigned licenses.

const database = await startDatabase()
const [id, samples] = (await json(process.stdin)) as [string, [string, number, number, number][]]
const customerId = id as Caller['customerId']
await scope({ customerId }, async (tx) => {
  for (const [asset, days, purchased, assigned] of samples)
    await tx.execute(sql`
      INSERT INTO seat_readings (customer_id, asset_id, at, purchased, assigned)
      VALUES (${customerId}, ${asset}, now() - ${days} * interval '1 day', ${purchased}, ${assigned})`)
})
await database.stop()
