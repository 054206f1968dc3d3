import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addAssets, addCustomer, addKey } from '#lib/platform/db/test-rows.ts'
import { vendorDeclarations } from '#lib/vendors/declarations.ts'
import type { Fake, FakeOptions } from '../fakes/vendors/fake.ts'
import type { Call } from '../fakes/vendors/routes.ts'
import { type Options, openAccounts } from './accounts.ts'
import { CALLS_PER_MINUTE, CONFIRM_SECONDS, TIMES, type Times } from './clock.ts'
import { ACCOUNTS, assetIdOf, seedOf } from './seeds.ts'

/** A subscription as both sides start with it. */
export type Seed = {
  /** The reseller's account at the vendor. */
  account: string
  id: string
  customerId: string
  skuId: string
  total: number
  assigned: number
  isCommitmentPlan: boolean
}

/** A fake vendor, and the settings that connect the console with it. */
export type Scenario = {
  /** The name by which assets refer to their vendor. */
  vendor: string
  start(options: FakeOptions, folder: string): Promise<{ fake: Fake; settings: Record<string, string> }>
  add(fake: Fake, seed: Seed): void
  /** Name of the setting for how many seconds a write may stay invisible. */
  confirmSetting: string
  /** Name of the setting for how many calls may be made in any minute. */
  callsSetting: string
  /** Faults that only this vendor has, for writes. */
  writeFaults: readonly string[]
  /** Names of the faults of reads. */
  readFaults: readonly string[]
}

const DELAY_MS = 300
const STALE_MS = 60

export type Stage = {
  /** The fake of the first account, and of a subscription's account: each has its own subscriptions. */
  fake: Fake
  fakeOf(seed: Seed): Fake
  fakes: Fake[]
  /** Calls that would change a total, as they arrived at the vendor. */
  arrivals: Call[]
  vendor: string
  seeds: Seed[]
  assetId(seed: Seed): string
  /** An API key for each writer. */
  keys: string[]
  /** Age of a stale read, in milliseconds. */
  staleMs: number
  /** Settings of the console's process. */
  settings: Record<string, string>
  close(): Promise<void>
}

export const CUSTOMER = 'fuzz'

type Setting = { assets: number; writers: number; accounts?: 1 | 2; options?: Options; times?: Times }

/**
 * Creates assets in our database and the same subscriptions at a fake vendor. The database is open already. With two
 * accounts there are two fakes of that vendor, and each subscription id exists in both.
 */
export async function setStage(
  scenario: Scenario,
  { assets, writers, accounts = 1, options = {}, times = {} }: Setting,
): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'console-fuzz-'))
  const arrivals: Call[] = []
  const onStep: Options['onStep'] = (step, call, account) => {
    if (step === 'write-arrived') arrivals.push(call)
    return options.onStep?.(step, call, account)
  }
  const calls = { [scenario.callsSetting]: CALLS_PER_MINUTE }
  const overrides = { ...TIMES, ...calls, [scenario.confirmSetting]: CONFIRM_SECONDS, ...times }
  const names = ACCOUNTS.slice(0, accounts)
  const opened = await openAccounts(scenario, names, folder, {
    options: { delayMs: DELAY_MS, staleMs: STALE_MS, ...options, onStep },
    settings: overrides,
  })
  const { fakes, settings: environment } = opened
  Object.assign(process.env, environment)
  // Loads the vendors' modules first: timeouts as short as these leave no time for it.
  await Promise.all(vendorDeclarations.map(({ load }) => load()))
  await addCustomer(CUSTOMER)
  const fakeOf = ({ account }: Seed) => fakes.get(account) as Fake
  const seeds = Array.from({ length: assets }, (_, n) => seedOf(n, accounts))
  for (const seed of seeds) scenario.add(fakeOf(seed), seed)
  await addAssets(
    CUSTOMER,
    seeds.map((seed) => ({
      id: assetIdOf(seed),
      subscription: {
        purchased: seed.total,
        assigned: seed.assigned,
        isCommitmentPlan: seed.isCommitmentPlan,
      },
      overrides: {
        vendor: scenario.vendor,
        vendorAccount: seed.account,
        vendorCustomerId: seed.customerId,
        subscriptionId: seed.id,
        skuId: seed.skuId,
      },
    })),
  )
  const keys = await Promise.all(
    Array.from({ length: writers }, (_, n) => addKey(CUSTOMER, ['it-manager'], { name: `Writer ${n}` })),
  )
  return {
    fake: fakeOf(seedOf(0, 1)),
    fakeOf,
    fakes: [...fakes.values()],
    arrivals,
    vendor: scenario.vendor,
    seeds,
    assetId: assetIdOf,
    keys,
    settings: environment,
    staleMs: options.staleMs ?? STALE_MS,
    async close() {
      for (const one of fakes.values()) await one.close()
      await rm(folder, { recursive: true, force: true })
      for (const name of Object.keys(environment)) delete process.env[name]
      // Another stage has other addresses.
      forgetVendors()
    },
  }
}

/** Simulates a new process: it connects again, and its circuit breakers are closed. */
export function forgetVendors(): void {
  delete (globalThis as { licensesInvoicesVendors?: unknown }).licensesInvoicesVendors
}
