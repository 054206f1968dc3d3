import 'server-only'
import { knownMigrations } from '#lib/db/migrate.ts'
import { env } from '#lib/env.ts'
import { knownVendors } from '#lib/vendors/known-vendors.ts'
import * as store from './store.ts'

/** How one vendor does. */
export type VendorFigures = {
  vendor: string
  label: string
  isSetUp: boolean
  assets: number
  /** Of these, how many the vendor has not told us of yet. */
  neverRead: number
  /** When the one was read that was not for the longest time; null where none was. */
  oldestReading: Date | null
  open: number
  unclear: number
  oldestOpenSeconds: number | null
}

/** How the service does, in numbers of all customers and processes. */
export type Figures = {
  at: Date
  /** Changes of licenses that wait for their vendor (`open`), or for a person (`unclear`). */
  changes: { open: number; unclear: number; oldestOpenSeconds: number | null }
  /** All that this release knows, set up or not. */
  vendors: VendorFigures[]
  jobs: store.JobRuns[]
  /** Notices that were begun, and of which nobody knows yet whether they left. */
  mails: { waiting: number }
  /** `newest`: null where a later release has been here. */
  database: { migrations: number; newest: string | null }
}

/** Reads all figures, for whoever shows them. */
export async function readFigures(): Promise<Figures> {
  const [changes, assets, jobs, waiting, migrations] = await Promise.all([
    store.countChanges(),
    store.countAssets(),
    store.listJobRuns(),
    store.countMails(),
    store.appliedMigrations(),
  ])
  const vendors = knownVendors.map(({ name: vendor, facts: { label } }): VendorFigures => {
    const isSetUp = env().vendors[vendor] !== undefined
    const ownAssets = assets.find((one) => one.vendor === vendor) ?? NO_ASSETS
    const ownChanges = changes.find((one) => one.vendor === vendor) ?? NO_CHANGES
    return { label, isSetUp, ...ownAssets, ...ownChanges, vendor }
  })
  const newest = knownMigrations().find(({ when }) => when === migrations.at(-1))?.name ?? null
  return {
    at: new Date(),
    changes: sumOf(changes),
    vendors,
    jobs,
    mails: { waiting },
    database: { migrations: migrations.length, newest },
  }
}

const NO_ASSETS = { assets: 0, neverRead: 0, oldestReading: null }
const NO_CHANGES = { open: 0, unclear: 0, oldestOpenSeconds: null }

function sumOf(changes: store.ChangeCounts[]): Figures['changes'] {
  const sum = (name: 'open' | 'unclear') => changes.reduce((total, one) => total + one[name], 0)
  const ages = changes.flatMap(({ oldestOpenSeconds }) => oldestOpenSeconds ?? [])
  const oldestOpenSeconds = ages.length === 0 ? null : Math.max(...ages)
  return { open: sum('open'), unclear: sum('unclear'), oldestOpenSeconds }
}
