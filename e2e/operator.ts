import { createInterface } from 'node:readline'
import { sql } from 'drizzle-orm'
import { demoCustomers } from '#lib/demo/customers.ts'
import { loadDemo } from '#lib/demo/load.ts'
import { redeemLink } from '#lib/identity/access/links/redeem.ts'
import { minted } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { startDatabase } from '#lib/platform/db/start.ts'
import { addInvoice } from '#lib/platform/db/test-rows.ts'
import { reasonOf } from '#lib/platform/runtime/log.ts'
import { dayOf } from '#lib/platform/values/days.ts'
import { runHere } from '../lib/admin/test-run.ts'

/** Further commands, which only tests need, by name. */
const OTHERS: Record<string, (args: string[], input: string) => Promise<unknown>> = {
  /** Accepts an invitation as the invited member: the link, and the password as input. */
  accept: ([link = ''], password) =>
    redeemLink({ secret: link.split('/').at(-1) ?? '', password, isNew: true }),
  /** Backdates the last proof of identity of a customer's members by a quarter of an hour. */
  'age-sign-ins': ([customer]) => {
    const customerId = minted(customer ?? '')
    return scope({ customerId }, (tx) =>
      tx.execute(sql`
        UPDATE sessions SET proven_at = now() - interval '15 minutes' WHERE customer_id = ${customerId}`),
    )
  },
  /** Adds seat samples: asset, age in days, purchased and assigned licenses. */
  'add-samples': ([customer], input) => {
    const customerId = minted(customer ?? '')
    return scope({ customerId }, async (tx) => {
      for (const [asset, days, purchased, assigned] of JSON.parse(input))
        await tx.execute(sql`
          INSERT INTO seat_readings (customer_id, asset_id, at, purchased, assigned)
          VALUES (${customerId}, ${asset}, now() - ${days} * interval '1 day', ${purchased}, ${assigned})`)
    })
  },
  /** Leaves a customer with sums that overflow: more invoices than the count's type can hold. */
  'break-sums': ([customer]) => {
    const customerId = minted(customer ?? '')
    return scope({ customerId }, (tx) =>
      tx.execute(sql`UPDATE invoice_sums SET count = 2147483647 WHERE customer_id = ${customerId}`),
    )
  },
  /** Adds a customer of the demo, as of today. */
  'load-demo': ([id]) => {
    const today = dayOf(Date.now())
    return loadDemo(
      demoCustomers(today).filter(({ domain }) => domain === `${id}.example`),
      today,
    )
  },
  /** Inserts invoices as rows: drafts and voided ones as any import may leave them. */
  'add-documents': async (_, input) => {
    for (const row of JSON.parse(input) as Parameters<typeof addInvoice>[]) await addInvoice(...row)
  },
}

let disconnect = async () => {}
if (process.env.OPERATOR_STAYS === '1') {
  // Connecting and checking the migrations takes longer than the work of a command.
  const started = await startDatabase()
  disconnect = started.stop
  started.stop = async () => {}
}

// Process that runs one operator's command after the other: each line of its input has the arguments and the input of
// one command, each line of its output the result. Ends with its input, and so with the worker that started it.
for await (const line of createInterface({ input: process.stdin })) {
  const { words: args, input } = JSON.parse(line)
  const [name, ...more] = args
  const other = OTHERS[name]
  const result = other ? await runOther(() => other(more, input)) : await runHere(args, input)
  process.stdout.write(`${JSON.stringify(result)}\n`)
}
await disconnect()

async function runOther(action: () => Promise<unknown>) {
  const { stop } = await startDatabase()
  try {
    const done = await action()
    return { code: 0, out: typeof done === 'string' ? done : '', err: '' }
  } catch (error) {
    return { code: 1, out: '', err: reasonOf(error) }
  } finally {
    await stop()
  }
}
