import type { Purchase } from '#lib/demo/purchase.ts'
import type { Fake, FakeOptions } from './fake.ts'
import type { NewSubscription } from './routes.ts'

/** A subscription in our own words, for the books of any stand-in. */
export type Seed = {
  id: string
  customerId: string
  skuId: string
  total: number
  assigned: number
  planName: string
  status: string
}

/** A subscription of the demo, and what the stand-in does when its licenses are changed. */
export type DemoScenario = {
  purchase: Purchase
  /** By which the stand-in fails; absent: it behaves. */
  fault?: string | { read?: string; write?: string }
  /** The vendor changes it by itself, once, to so many licenses. */
  changedTo?: number
  /** What a person sees who tries it. */
  shows: string
}

/** What a stand-in's folder says of it, for those who run all of them: the demo and the fuzz. */
export type FakeDeclaration = {
  /** The name by which assets call their vendor. */
  vendor: string
  /** @param folder for files that its settings name */
  start(options: FakeOptions, folder: string): Promise<{ fake: Fake; settings: Record<string, string> }>
  /** The settings without which the vendor is not set up. */
  needs: readonly string[]
  /** The setting that says for how many seconds a write may stay unseen. */
  confirmSetting: string
  /** The setting that says how many calls may be made in any minute. */
  callsSetting: string
  /** The seed in the vendor's words. */
  given(seed: Seed): NewSubscription<unknown>
  /** What lets every decrease of a flexible plan through, where the vendor has a rule of its own for it. */
  lenient?: object
  /** Faults that only this vendor has, for writes. */
  writeFaults: readonly string[]
  /** The same for reads. */
  readFaults: readonly string[]
  /** A subscription for each fate that a change can have at this vendor. */
  scenarios(today: string): DemoScenario[]
}
