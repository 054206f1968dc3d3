import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addAsset, addCustomer, addKey } from '#lib/db/test-rows.ts'
import { knownVendors } from '#lib/vendors/known-vendors.ts'
import type { Fake, FakeOptions } from '../stand-ins/vendors/fake.ts'
import type { Call } from '../stand-ins/vendors/routes.ts'

/** One subscription as both sides begin with it. */
export type Seed = {
  id: string
  customerId: string
  skuId: string
  total: number
  assigned: number
  isCommitmentPlan: boolean
}

/** A fake vendor, and how the console is told of it. */
export type Scenery = {
  /** The name by which assets call their vendor. */
  vendor: string
  start(options: FakeOptions, folder: string): Promise<{ fake: Fake; settings: Record<string, string> }>
  add(fake: Fake, seed: Seed): void
  /** The setting that says for how many seconds a write may stay unseen. */
  settleSetting: string
  /** Faults that only this vendor has, for writes. */
  ownFaults: readonly string[]
  /** The same for reads. */
  readFaults: readonly string[]
}

/** In milliseconds: some twenty times as fast as in earnest, so that thousands of calls take a minute. */
const TIMES = {
  VENDOR_READ_MS: '200',
  VENDOR_WRITE_MS: '200',
  VENDOR_CONFIRM_MS: '150',
  VENDOR_CHECK_MS: '200',
  VENDOR_STALE_MS: '250',
  VENDOR_PAUSE_MS: '150',
  CHANGE_LEASE_MS: '1500',
}
const SETTLE_SECONDS = '2'
export type Times = Partial<Record<keyof typeof TIMES | `${string}_SETTLE_SECONDS`, string>>

const LATE_MS = 300
const STALE_MS = 60

export type Stage = {
  fake: Fake
  fakeOf(seed: Seed): Fake
  /** Calls that would change a total, as they arrived at the vendor. */
  arrivals: Call[]
  vendor: string
  seeds: Seed[]
  assetId(seed: Seed): string
  /** An API key for each writer. */
  keys: string[]
  /** How old a stale read is, in milliseconds. */
  staleMs: number
  /** What the console's process needs to know. */
  settings: Record<string, string>
  close(): Promise<void>
}

export const CUSTOMER = 'fuzz'

/** Assets in our database and the same subscriptions in the books of a fake vendor. The database is open already. */
export async function setStage(
  scenery: Scenery,
  {
    assets,
    writers,
    options = {},
    times = {},
  }: { assets: number; writers: number; options?: FakeOptions; times?: Times },
): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'console-fuzz-'))
  const arrivals: Call[] = []
  const onStep: FakeOptions['onStep'] = (step, call) => {
    if (step === 'write-arrived') arrivals.push(call)
    return options.onStep?.(step, call)
  }
  const all = { lateMs: LATE_MS, staleMs: STALE_MS, ...options, onStep }
  const { fake, settings } = await scenery.start(all, folder)
  const told = { ...TIMES, [scenery.settleSetting]: SETTLE_SECONDS, ...times, ...settings }
  Object.assign(process.env, told)
  // Times as short as these have no room for it.
  await Promise.all(knownVendors.map(({ load }) => load()))
  await addCustomer(CUSTOMER)
  const seeds = Array.from({ length: assets }, (_, n) => seedOf(n))
  for (const seed of seeds) {
    scenery.add(fake, seed)
    await addAsset(
      CUSTOMER,
      assetIdOf(seed),
      { purchased: seed.total, assigned: seed.assigned, isCommitmentPlan: seed.isCommitmentPlan },
      {
        vendor: scenery.vendor,
        vendorCustomerId: seed.customerId,
        subscriptionId: seed.id,
        skuId: seed.skuId,
      },
    )
  }
  const keys = await Promise.all(
    Array.from({ length: writers }, (_, n) => addKey(CUSTOMER, ['it-manager'], { name: `Writer ${n}` })),
  )
  return {
    fake,
    fakeOf: () => fake,
    arrivals,
    vendor: scenery.vendor,
    seeds,
    assetId: assetIdOf,
    keys,
    settings: told,
    staleMs: options.staleMs ?? STALE_MS,
    async close() {
      await fake.close()
      await rm(folder, { recursive: true, force: true })
      for (const name of Object.keys(told)) delete process.env[name]
      // Another stage has other addresses.
      forgetVendors()
    },
  }
}

/** The process connects anew, and its breakers have learnt nothing yet. */
export function forgetVendors(): void {
  delete (globalThis as { licensesInvoicesVendors?: unknown }).licensesInvoicesVendors
}

/** GUIDs, as one of the vendors wants them; half of the plans are commitments. */
function seedOf(n: number): Seed {
  const guid = (kind: number) => `${kind}0000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  return {
    id: guid(1),
    customerId: guid(2),
    skuId: `SKU-${n}`,
    total: 20,
    assigned: 3,
    isCommitmentPlan: n % 2 === 1,
  }
}

export function assetIdOf({ id }: Seed): string {
  return `workspace-suite-${id}`
}
