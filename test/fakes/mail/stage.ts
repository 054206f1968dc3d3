import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { vi } from 'vitest'
import { addLicensesRecipient, addRecipient } from '#lib/notifications/notices/recipients.ts'
import { NOTICES, type Notice } from '#lib/notifications/notices/rules.ts'
import { sendNotices } from '#lib/notifications/notices/send.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { testDatabase } from '#lib/platform/db/test-database.ts'
import { addInvoice } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { addDays } from '#lib/platform/values/days.ts'
import { type Catcher, type Fault, startCatcher } from './catcher.ts'

export const BASE_URL = 'https://console.example'

const TODAY = '2026-11-20'

/** Returns the day so many days after the one of the stage's database. */
export const day = (offset: number) => addDays(TODAY, offset)

/** Opens the environment of notice tests: a database, a mail server, and the setting that names the server. */
export async function openStage() {
  const [database, catcher] = await Promise.all([testDatabase({ today: TODAY }), startCatcher()])
  vi.stubEnv('SMTP_URL', catcher.url)
  vi.stubEnv('MAIL_FROM', 'Büro <billing@reseller.example>')
  vi.stubEnv('BASE_URL', BASE_URL)
  const customers = new Set<string>()
  return {
    database,
    catcher,
    /** Removes all recipients of notices, all messages and all faults of the mail server. */
    async clear() {
      for (const customer of customers) {
        await database.sql(customer, 'DELETE FROM outbox')
        await database.sql(customer, 'DELETE FROM notice_confirmations')
        await database.sql(customer, 'DELETE FROM notice_subscriptions')
        await database.sql(customer, 'UPDATE notice_recipients SET licenses_since = NULL, needs_since = NULL')
      }
      Object.assign(catcher, { mails: [], dropped: [], hold: undefined })
      catcher.faults.clear()
    },
    add: (
      customer: string,
      email: string,
      {
        profile = 'default',
        kinds = NOTICES,
        again = false,
      }: { profile?: string; kinds?: readonly Notice[]; again?: boolean } = {},
    ) => {
      const customerId = newCustomerId(customer)
      customers.add(customer)
      return scope({ customerId }, (tx) => addRecipient(tx, customerId, { email, profile, kinds, again }))
    },
    /** Subscribes an address to mails about licenses that vendors change. */
    addForLicenses: (customer: string, email: string) => {
      const customerId = newCustomerId(customer)
      customers.add(customer)
      return scope({ customerId }, (tx) => addLicensesRecipient(tx, customerId, { email, again: false }))
    },
    /** Runs the job once. */
    run: (only?: string, signal = new AbortController().signal) =>
      sendNotices(`test-${randomUUID()}`, signal, only === undefined ? undefined : newCustomerId(only)),
    /** Returns and removes the mails since the last call, by address. */
    taken: () => takeMails(catcher),
    passDays: (days: number) => makeOlder(database.url, days),
    /** Lets the mail server fail for a recipient, as `how` describes. */
    fail: (recipient: string, how: Fault) => void catcher.faults.set(recipient, how),
    /** Ends all failures of the mail server. */
    recover: () => catcher.faults.clear(),
    /** Makes the requests of addresses older. */
    passRequestHours: (hours: number) => makeRequestsOlder(database.url, hours),
    invoice: (customer: string, id: string, dueIn: number, more: Parameters<typeof addInvoice>[2] = {}) =>
      addInvoice(customer, id, { invoiceDate: day(Math.min(dueIn, 0) - 30), dueDate: day(dueIn), ...more }),
    /** Runs the job in a separate process, which shares only the database and the mail server with this one. */
    process: (customer: string) => startProcess(database.url, customer),
    close: async () => {
      vi.unstubAllEnvs()
      await catcher.close()
      await database.close()
    },
  }
}

function takeMails({ mails }: Catcher) {
  return mails.splice(0).sort((a, b) => ((a.to[0] ?? '') < (b.to[0] ?? '') ? -1 : 1))
}

/**
 * Moves all events so many days into the past. The app's role may not update notices, and row-level security hides them
 * from the owner: it is switched off for a moment.
 */
function makeOlder(url: string, days: number): Promise<void> {
  const tables = [
    'notices',
    'notice_changes',
    'notice_mails',
    'notice_subscriptions',
    'notice_recipients',
    'license_changes',
    'invoices',
    'invoice_sums',
    'invoice_tokens',
  ]
  const earlier = earlierBy(`${days} days`)
  return asOwner(
    url,
    tables,
    `CREATE TEMP TABLE told AS SELECT * FROM notices;
    CREATE TEMP TABLE changes AS SELECT * FROM notice_changes;
    CREATE TEMP TABLE mails AS SELECT * FROM notice_mails;
    UPDATE told SET told_on = told_on - ${days};
    UPDATE changes SET told_on = told_on - ${days};
    UPDATE mails SET told_on = told_on - ${days}, claimed_at = claimed_at - interval '${days} days';
    DELETE FROM notice_mails;
    INSERT INTO notice_mails SELECT * FROM mails;
    INSERT INTO notices SELECT * FROM told;
    INSERT INTO notice_changes SELECT * FROM changes;
    UPDATE notice_recipients SET ${earlier('licenses_since')}, ${earlier('needs_since')};
    UPDATE notice_subscriptions SET ${earlier('since')};
    UPDATE license_changes SET ${earlier('created_at')};
    UPDATE invoices SET invoice_date = invoice_date - ${days}, due_date = due_date - ${days}, ${earlier('created_at')}`,
  )
}

function makeRequestsOlder(url: string, hours: number): Promise<void> {
  return asOwner(
    url,
    ['notice_confirmations'],
    `UPDATE notice_confirmations SET ${['created_at', 'expires_at', 'ended_at'].map(earlierBy(`${hours} hours`)).join(', ')}`,
  )
}

/** Assignment that makes a time of a row earlier. In UTC: Citus takes no arithmetic that depends on the time zone. */
function earlierBy(interval: string): (column: string) => string {
  return (column) => `${column} = (${column} AT TIME ZONE 'UTC' - interval '${interval}') AT TIME ZONE 'UTC'`
}

/** Runs a transaction of the owner, who sees all customers' rows of these tables meanwhile. */
function asOwner(url: string, tables: string[], queries: string): Promise<void> {
  const forced = (how: string) =>
    tables.map((table) => `ALTER TABLE ${table} ${how} ROW LEVEL SECURITY`).join('; ')
  return run(
    url,
    forced('NO FORCE'),
    `BEGIN; SET LOCAL citus.multi_shard_modify_mode TO sequential; ${queries}; COMMIT`,
    forced('FORCE'),
  )
}

/** Runs the operator's command in a process; resolves with its output when it ends by itself. */
function startProcess(url: string, customer: string) {
  const program = ['--conditions=react-server', '--no-warnings', 'lib/admin/main.ts', 'notices', 'send']
  const env = { ...process.env, DATABASE_URL: url }
  const child = spawn(process.execPath, [...program, '--customer', customer], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  const ended = new Promise<string>((resolve) => child.once('close', () => resolve(out.trim())))
  return { ended, kill: () => child.kill('SIGKILL') }
}
