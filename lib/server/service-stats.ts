import 'server-only'
import { database } from '#lib/platform/db/client.ts'
import { listMigrations } from '#lib/platform/db/migration-files.ts'
import { type Account, accounts, DEFAULT_ACCOUNT, hasAccount } from '#lib/vendors/accounts.ts'
import { vendorDeclarations, vendorInfo } from '#lib/vendors/declarations.ts'

/** How one account at a vendor does. */
export type AccountStats = Account & {
  label: string
  isSetUp: boolean
  subscriptions: number
  /** Of these, how many the vendor has not told us of yet, and how many are to be read by themselves now. */
  neverRead: number
  due: number
  /** When the one was read that was not for the longest time; null where none was. */
  oldestReading: Date | null
  /** When a pass through its list last came to the end, and when the one began that is under way. */
  listReadAt: Date | null
  listBeganAt: Date | null
  /** Until then the vendor wants no calls; null: it takes them. */
  closedUntil: Date | null
  open: number
  unclear: number
  oldestOpenSeconds: number | null
}

/** How the service does, in numbers of all customers and processes. */
export type ServiceStats = {
  at: Date
  /** Changes of licenses that wait for their vendor (`open`), or for a person (`unclear`). */
  changes: { open: number; unclear: number; oldestOpenSeconds: number | null }
  /** Active orders for next terms; of these, those that their vendor lacks or should not have any more; unclear ones. */
  orders: {
    active: number
    notPlaced: number
    notWithdrawn: number
    unclear: number
    oldestWaitSeconds: number | null
  }
  /** Those that are set up or have subscriptions, and of each other vendor the one that there could be. */
  accounts: AccountStats[]
  jobs: JobRuns[]
  /** Messages of the outbox that are not delivered yet, by kind; without those of paused webhooks. */
  outbox: { kind: string; waiting: number; oldestSeconds: number }[]
  /** Domains of single sign-on whose DNS record is missing. */
  domains: { lost: number }
  /** Ids of open customers who have Admins, none of whom sees all billing profiles or can grant that. */
  customers: { withoutFullAdmin: string[] }
  /** `newest`: null where a later release has been here. */
  database: { migrations: number; newest: string | null }
}

/** Reads all figures of the service. */
export async function readServiceStats(): Promise<ServiceStats> {
  const [changes, orders, readCounts, lists, jobs, outbox, lost, withoutFullAdmin, migrations] =
    await Promise.all([
      countChanges(),
      countOrders(),
      countReads(),
      listPasses(),
      listJobRuns(),
      countMessages(),
      countLostDomains(),
      listWithoutFullAdmin(),
      appliedMigrations(),
    ])
  const newest = listMigrations().find(({ when }) => when === migrations.at(-1))?.name ?? null
  return {
    at: new Date(),
    changes: sumOf(changes),
    orders,
    accounts: namesAmong([...readCounts, ...changes]).map((account) => ({
      ...account,
      label: vendorInfo(account.vendor).label,
      isSetUp: hasAccount(account.vendor, account.vendorAccount),
      ...(rowOfAccount(readCounts, account) ?? NO_READS),
      ...(rowOfAccount(lists, account) ?? NO_LIST),
      ...(rowOfAccount(changes, account) ?? NO_CHANGES),
    })),
    jobs,
    outbox,
    domains: { lost },
    customers: { withoutFullAdmin },
    database: { migrations: migrations.length, newest },
  }
}

const NO_READS = { subscriptions: 0, neverRead: 0, due: 0, oldestReading: null }
const NO_LIST = { listReadAt: null, listBeganAt: null, closedUntil: null }
const NO_CHANGES = { open: 0, unclear: 0, oldestOpenSeconds: null }

function rowOfAccount<Row extends Account>(
  rows: readonly Row[],
  { vendor, vendorAccount }: Account,
): Row | undefined {
  return rows.find((row) => row.vendor === vendor && row.vendorAccount === vendorAccount)
}

/** All accounts, by vendor and name. */
function namesAmong(counted: readonly Account[]): Account[] {
  const defaultAccounts = vendorDeclarations.map(({ name: vendor }) => ({
    vendor,
    vendorAccount: DEFAULT_ACCOUNT,
  }))
  const all = [...defaultAccounts, ...accounts(), ...counted]
  const names = new Map(
    all.map(({ vendor, vendorAccount }) => [`${vendor} ${vendorAccount}`, { vendor, vendorAccount }]),
  )
  return [...names].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, account]) => account)
}

function sumOf(changes: ChangeCounts[]): ServiceStats['changes'] {
  const sum = (name: 'open' | 'unclear') => changes.reduce((total, one) => total + one[name], 0)
  const ages = changes.flatMap(({ oldestOpenSeconds }) => oldestOpenSeconds ?? [])
  const oldestOpenSeconds = ages.length === 0 ? null : Math.max(...ages)
  return { open: sum('open'), unclear: sum('unclear'), oldestOpenSeconds }
}

// What is counted over all customers, as the role `console_jobs`: it sees no more of them than it counts.

type ChangeCounts = Account & { open: number; unclear: number; oldestOpenSeconds: number | null }

/** Counts the waiting changes by account, without accounts that have none. An acknowledged change does not wait. */
async function countChanges(): Promise<ChangeCounts[]> {
  const { rows } = await database().jobs.query<ChangeCounts>(
    `SELECT v.vendor, v.account AS "vendorAccount",
       count(*) FILTER (WHERE c.state <> 'UNCLEAR')::int AS open,
       count(*) FILTER (WHERE c.state = 'UNCLEAR')::int AS unclear,
       extract(epoch FROM now() - min(c.created_at) FILTER (WHERE c.state <> 'UNCLEAR'))::int AS "oldestOpenSeconds"
     FROM license_changes c JOIN vendor_subscriptions v ON v.customer_id = c.customer_id AND v.id = c.vendor_subscription_id
     WHERE c.state IN ('CLAIMED', 'SENT', 'UNKNOWN', 'UNCLEAR') AND c.acknowledged_at IS NULL
     GROUP BY v.vendor, v.account`,
  )
  return rows
}

async function countOrders(): Promise<ServiceStats['orders']> {
  const { rows } = await database().jobs.query<ServiceStats['orders']>(
    `SELECT count(*) FILTER (WHERE state = 'STANDING')::int AS active,
       count(*) FILTER (WHERE waits_since IS NOT NULL AND taken_back_at IS NULL)::int AS "notPlaced",
       count(*) FILTER (WHERE waits_since IS NOT NULL AND taken_back_at IS NOT NULL)::int AS "notWithdrawn",
       count(*) FILTER (WHERE state = 'UNCLEAR')::int AS unclear,
       extract(epoch FROM now() - min(waits_since))::int AS "oldestWaitSeconds"
     FROM renewal_orders WHERE state IN ('STANDING', 'UNCLEAR')`,
  )
  return rows[0] as ServiceStats['orders']
}

export type ReadCounts = Account & {
  subscriptions: number
  neverRead: number
  oldestReading: Date | null
  due: number
}

/** The subscriptions that vendors keep, by account, and how their reading goes. */
async function countReads(): Promise<ReadCounts[]> {
  const { rows } = await database().jobs.query<ReadCounts>(
    `SELECT vendor, account AS "vendorAccount", count(*)::int AS subscriptions,
       count(*) FILTER (WHERE observed_at IS NULL)::int AS "neverRead", min(observed_at) AS "oldestReading",
       count(*) FILTER (WHERE next_read_at <= now())::int AS due
     FROM vendor_subscriptions WHERE released_at IS NULL GROUP BY vendor, account`,
  )
  return rows
}

export type Lists = Account & { listReadAt: Date | null; listBeganAt: Date | null; closedUntil: Date | null }

/** How far the reading of each account's list is, and until when its vendor wants no calls. */
async function listPasses(): Promise<Lists[]> {
  const { rows } = await database().jobs.query<Lists>(
    `SELECT a.vendor, a.name AS "vendorAccount", a.list_ended_at AS "listReadAt", a.list_began_at AS "listBeganAt",
       (SELECT max(closed_until) FROM vendor_budgets b
        WHERE b.vendor = a.vendor AND b.account = a.name AND closed_until > now()) AS "closedUntil"
     FROM vendor_accounts a`,
  )
  return rows
}

async function countMessages(): Promise<ServiceStats['outbox']> {
  const { rows } = await database().jobs.query<ServiceStats['outbox'][number]>(
    `SELECT kind, count(*)::int AS waiting, extract(epoch FROM now() - min(created_at))::float8 AS "oldestSeconds"
     FROM outbox WHERE state IN ('WAITING', 'SENDING') AND not_before <> 'infinity' GROUP BY kind ORDER BY kind`,
  )
  return rows
}

/** Domains that were proven by a record of the DNS which is missing now. */
async function countLostDomains(): Promise<number> {
  const { rows } = await database().jobs.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM sign_on_domains
     WHERE proven_by = 'dns' AND proven_at IS NOT NULL AND lost_at IS NOT NULL`,
  )
  return rows[0]?.count ?? 0
}

async function listWithoutFullAdmin(): Promise<string[]> {
  const { rows } = await database().jobs.query<{ id: string }>(
    `SELECT m.customer_id AS id FROM members m JOIN customers c ON c.id = m.customer_id
     WHERE m.roles @> '{admin}' AND m.disabled_at IS NULL AND m.invited_at IS NULL AND m.removed_at IS NULL
       AND c.closed_at IS NULL
     GROUP BY m.customer_id HAVING bool_and(m.billing_profiles IS NOT NULL) ORDER BY m.customer_id`,
  )
  return rows.map(({ id }) => id)
}

/** When the migrations were made that this database has, in epoch milliseconds. */
export async function appliedMigrations(): Promise<number[]> {
  const { rows } = await database().jobs.query<{ when: string }>(
    'SELECT created_at AS "when" FROM drizzle.__drizzle_migrations ORDER BY created_at',
  )
  return rows.map(({ when }) => Number(when))
}

type JobRuns = {
  job: string
  runningSince: Date | null
  doneAt: Date | null
  failedAt: Date | null
  reason: string | null
}

/** The latest runs of each job, as far as the queue keeps them: a day. None where no web process has run yet. */
export async function listJobRuns(): Promise<JobRuns[]> {
  const { jobs } = database()
  const { rows: made } = await jobs.query("SELECT to_regclass('pgboss.schedule') IS NOT NULL AS made")
  if (!made[0]?.made) return []
  const { rows } = await jobs.query<JobRuns>(
    `SELECT s.name AS job, active.started_on AS "runningSince", done.completed_on AS "doneAt",
       failed.completed_on AS "failedAt", left(failed.output ->> 'message', 200) AS reason
     FROM pgboss.schedule s
     LEFT JOIN LATERAL (SELECT started_on FROM pgboss.job j WHERE j.name = s.name AND j.state = 'active'
       ORDER BY started_on DESC LIMIT 1) active ON true
     LEFT JOIN LATERAL (SELECT completed_on FROM pgboss.job j WHERE j.name = s.name AND j.state = 'completed'
       ORDER BY completed_on DESC LIMIT 1) done ON true
     LEFT JOIN LATERAL (SELECT completed_on, output FROM pgboss.job j WHERE j.name = s.name AND j.state = 'failed'
       ORDER BY completed_on DESC LIMIT 1) failed ON true
     ORDER BY s.name`,
  )
  return rows
}
