import 'server-only'
import { knownMigrations } from '#lib/platform/db/migrating/files.ts'
import { type Account, DEFAULT_ACCOUNT } from '#lib/vendors/accounts/account.ts'
import { accounts, hasAccount } from '#lib/vendors/accounts/accounts.ts'
import { vendorFacts } from '#lib/vendors/facts.ts'
import { knownVendors } from '#lib/vendors/known-vendors.ts'
import * as store from './store.ts'

/** How one account at a vendor does. */
export type AccountFigures = Account & {
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
export type Figures = {
  at: Date
  /** Changes of licenses that wait for their vendor (`open`), or for a person (`unclear`). */
  changes: { open: number; unclear: number; oldestOpenSeconds: number | null }
  /** Those that are set up or have subscriptions, and of each other vendor the one that there could be. */
  accounts: AccountFigures[]
  jobs: store.JobRuns[]
  /** Notices that were begun, and of which nobody knows yet whether they left. */
  mails: { waiting: number }
  /** Domains of single sign-on whose DNS record is missing. */
  domains: { lost: number }
  /** `newest`: null where a later release has been here. */
  database: { migrations: number; newest: string | null }
}

/** Reads all figures, for whoever shows them. */
export async function readFigures(): Promise<Figures> {
  const [changes, readings, lists, jobs, waiting, lost, migrations] = await Promise.all([
    store.countChanges(),
    store.countReadings(),
    store.listPasses(),
    store.listJobRuns(),
    store.countMails(),
    store.countLostDomains(),
    store.appliedMigrations(),
  ])
  const newest = knownMigrations().find(({ when }) => when === migrations.at(-1))?.name ?? null
  return {
    at: new Date(),
    changes: sumOf(changes),
    accounts: namesAmong([...readings, ...changes]).map((account) => ({
      ...account,
      label: vendorFacts(account.vendor).label,
      isSetUp: hasAccount(account.vendor, account.vendorAccount),
      ...(own(readings, account) ?? NO_READINGS),
      ...(own(lists, account) ?? NO_LIST),
      ...(own(changes, account) ?? NO_CHANGES),
    })),
    jobs,
    mails: { waiting },
    domains: { lost },
    database: { migrations: migrations.length, newest },
  }
}

const NO_READINGS = { subscriptions: 0, neverRead: 0, due: 0, oldestReading: null }
const NO_LIST = { listReadAt: null, listBeganAt: null, closedUntil: null }
const NO_CHANGES = { open: 0, unclear: 0, oldestOpenSeconds: null }

function own<Row extends Account>(rows: readonly Row[], { vendor, vendorAccount }: Account): Row | undefined {
  return rows.find((row) => row.vendor === vendor && row.vendorAccount === vendorAccount)
}

/** All accounts, by vendor and name. */
function namesAmong(found: readonly Account[]): Account[] {
  const known = knownVendors.map(({ name: vendor }) => ({ vendor, vendorAccount: DEFAULT_ACCOUNT }))
  const all = [...known, ...accounts(), ...found]
  const names = new Map(
    all.map(({ vendor, vendorAccount }) => [`${vendor} ${vendorAccount}`, { vendor, vendorAccount }]),
  )
  return [...names].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, account]) => account)
}

function sumOf(changes: store.ChangeCounts[]): Figures['changes'] {
  const sum = (name: 'open' | 'unclear') => changes.reduce((total, one) => total + one[name], 0)
  const ages = changes.flatMap(({ oldestOpenSeconds }) => oldestOpenSeconds ?? [])
  const oldestOpenSeconds = ages.length === 0 ? null : Math.max(...ages)
  return { open: sum('open'), unclear: sum('unclear'), oldestOpenSeconds }
}
