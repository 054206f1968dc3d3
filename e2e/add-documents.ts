import { text } from 'node:stream/consumers'
import { startDatabase } from '#lib/platform/db/start.ts'
import { addInvoice } from '#lib/platform/db/test-rows.ts'

// Process that inserts invoices into the database as rows, in the order of its input: `[customer, id, row, lines][]`.
// So a test has drafts and voided ones as any import may leave them.

const database = await startDatabase()
for (const row of JSON.parse(await text(process.stdin)))
  await addInvoice(...(row as Parameters<typeof addInvoice>))
await database.stop()
