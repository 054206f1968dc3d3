import type { Purchase } from '#lib/demo/purchase.ts'
import type { Fake, FakeOptions } from './fake.ts'
import type { NewSubscription } from './routes.ts'

/** A subscription in the product's terms, for any fake. */
export type Seed = {
  id: string
  customerId: string
  skuId: string
  total: number
  assigned: number
  planName: string
  status: string
}

/** A subscription of the demo, and the fake's behavior when its licenses are changed. */
export type DemoScenario = {
  purchase: Purchase
  /** Fault of the subscription; absent if it has none. */
  fault?: string | { read?: string; write?: string }
  /** Number of licenses that the vendor changes the subscription to by itself, once. */
  changedTo?: number
  /** Description of the outcome for a user who tries it. */
  shows: string
}

/** A fake's description of itself for the demo and the fuzz, which run all fakes. */
export type FakeDeclaration = {
  /** The name by which assets refer to their vendor. */
  vendor: string
  /** @param folder for files that its settings name */
  start(options: FakeOptions, folder: string): Promise<{ fake: Fake; settings: Record<string, string> }>
  /** Settings that are required to set the vendor up. */
  needs: readonly string[]
  /** Name of the setting for how many seconds a write may stay invisible. */
  confirmSetting: string
  /** Name of the setting for how many calls may be made in any minute. */
  callsSetting: string
  /** Returns the seed in the vendor's terms. */
  toNewSubscription(seed: Seed): NewSubscription<unknown>
  /** Options that allow every decrease of a flexible plan, if the vendor has its own rule for decreases. */
  lenient?: object
  /** Faults that only this vendor has, for writes. */
  writeFaults: readonly string[]
  /** Names of the faults of reads. */
  readFaults: readonly string[]
  /** Returns a subscription for each possible outcome of a change at this vendor. */
  scenarios(today: string): DemoScenario[]
}
