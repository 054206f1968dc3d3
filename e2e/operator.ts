import { once } from 'node:events'
import { registerHooks } from 'node:module'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { sql } from 'drizzle-orm'
import { minted } from '#lib/platform/caller/store.ts'
import { LOGINS, type Login, loginOf } from '#lib/platform/db/logins.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { startDatabase } from '#lib/platform/db/start.ts'
import { addInvoice } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { reasonOf } from '#lib/platform/runtime/log.ts'
import { dayOf } from '#lib/platform/values/days.ts'
import { runHere } from '../lib/admin/test-run.ts'

// Passwords of the tests' members have hashes at a hundredth of the cost, and so do their sign-ins. Modules that hash are
// loaded by the commands.
const CHEAP = new URL('../test/fakes/argon2.ts', import.meta.url).href
registerHooks({
  resolve: (name, context, next) =>
    next(name === '@node-rs/argon2' && context.parentURL !== CHEAP ? CHEAP : name, context),
})

/** Further commands, which only tests need, by name. */
const TEST_COMMANDS: Record<string, (args: string[], input: string) => Promise<unknown>> = {
  /** Accepts an invitation as the invited member: the link, and the password as input. */
  accept: async ([link = ''], password) => {
    const { redeemLink } = await import('#lib/identity/access/links/redeem.ts')
    return redeemLink({ secret: link.split('/').at(-1) ?? '', password, isNew: true })
  },
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
  'load-demo': async ([id]) => {
    const { demoCustomers } = await import('#lib/demo/customers.ts')
    const { loadDemo } = await import('#lib/demo/load.ts')
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
  /** Mails the pending notices to members and requests for confirmations now, as the worker does. */
  'send-mails': async () => {
    const { MEMBER_MAILS } = await import('#lib/identity/account-mails/kinds.ts')
    const { confirmationMail } = await import('#lib/notifications/recipients/send.ts')
    const { mailChannel } = await import('#lib/platform/outbox/mail.ts')
    const { deliverDue } = await import('#lib/platform/outbox/worker.ts')
    const { signal } = new AbortController()
    await deliverDue(mailChannel([...MEMBER_MAILS, confirmationMail]), { requestId: 'e2e', signal })
  },
}

/** A command with its input, and the settings that differ from those of the process. */
type Command = { words: string[]; input: string; settings: Record<string, string> }

let cheapened: Promise<void> | undefined
let disconnect = async () => {}
/** Resolves with the end of the last command: commands of several workers wait for each other. */
let last: Promise<unknown> = Promise.resolve()

// Process that runs one operator's command after the other: each line of an input has one command, each line of the
// output its result. With OPERATOR_SOCKET, the workers of a run connect to it, and the database stays open, because
// connecting and checking the migrations takes longer than the work of a command. Ends with its standard input.
const { OPERATOR_SOCKET } = process.env
if (OPERATOR_SOCKET) {
  const server = createServer((socket) => {
    // A worker may leave before its answer: the others need this process.
    socket.on('error', () => {})
    serve(socket, socket).catch(() => {})
  })
  await once(server.listen(OPERATOR_SOCKET), 'listening')
  process.stdout.write('listening\n')
  await once(process.stdin.resume(), 'end')
  server.close()
} else await serve(process.stdin, process.stdout)
await last
await disconnect()
process.exit(0)

async function serve(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Promise<void> {
  for await (const line of createInterface({ input })) {
    const result = last
      .then(() => execute(JSON.parse(line)))
      .catch((error) => ({ code: 1, out: '', err: reasonOf(error) }))
    last = result
    output.write(`${JSON.stringify(await result)}\n`)
  }
}

async function execute({ words: args, input, settings }: Command) {
  const before = Object.keys(settings).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, settings)
  try {
    if (OPERATOR_SOCKET) await leaveDatabaseOpen()
    cheapened ??= cheapenLoginHashes()
    await cheapened
    const [name = '', ...more] = args
    const other = TEST_COMMANDS[name]
    return other ? await runOther(() => other(more, input)) : await runHere(args, input)
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

/** Lets no command close the database. */
async function leaveDatabaseOpen(): Promise<void> {
  const started = await startDatabase()
  if (started.stop === doNothing) return
  disconnect = started.stop
  started.stop = doNothing
}

/** Gives the logins of an embedded database passwords that each of the many connections checks in no time. */
async function cheapenLoginHashes(): Promise<void> {
  if (process.env.DATABASE_URL) return
  const { direct, stop } = await startDatabase()
  const ofLogin = (login: Login) => `ALTER ROLE ${login} PASSWORD '${loginOf(direct, login).password}'`
  await run(direct, 'SET scram_iterations = 1', ...LOGINS.map(ofLogin))
  await stop()
}

async function doNothing(): Promise<void> {}

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
