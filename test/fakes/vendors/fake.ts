import type { Fault, PersistentFault } from './faults.ts'
import type { Call, Exchange, NewSubscription } from './routes.ts'
import type { Patch, Subscription, Written } from './store.ts'

export type Step = 'read-arrived' | 'read-answered' | 'write-arrived' | 'write-applied' | 'write-answered'

export type FakeOptions = {
  /** 0, the default, lets the system choose. */
  port?: number
  /** How long after a late fault the call is done. */
  delayMs?: number
  /** What a late call waits for, instead of a time. */
  delayUntil?: () => Promise<unknown>
  /** How old a stale read is. */
  staleMs?: number
  /** What Retry-After says, in seconds. */
  retryAfter?: number
  /** Asked once per call, where no standing fault of its subscription decides; `onStep` has run before. */
  choose?: (call: Call) => Fault | undefined
  /** The call goes on when this has returned. A test can end its client here, and nowhere else. */
  onStep?: (step: Step, call: Call) => void | Promise<void>
}

/** A call that changed what only this vendor knows of a subscription, such as what is scheduled for its next term. */
export type FieldWrite<VendorFields = unknown> = {
  call: Call
  before: VendorFields
  after: VendorFields
  at: number
}

export type Fake<VendorFields = unknown> = {
  /** Without a slash at its end. */
  url: string
  label: string
  add(
    input: NewSubscription<VendorFields>,
    options?: { fault?: PersistentFault | undefined },
  ): Subscription<VendorFields>
  subscription(id: string): Subscription<VendorFields> | undefined
  subscriptions(): Subscription<VendorFields>[]
  /** Users, status, plan or a new id: whatever changes at the vendor besides the total. */
  change(id: string, patch: Patch<VendorFields>, vendorFields?: Partial<VendorFields>): void
  /** Changes a total in the vendor's own console. */
  setByVendor(id: string, total: number): void
  setFault(id: string, fault: PersistentFault | undefined): void
  /** One call of this kind suffers it, whatever its subscription, before anything else is asked. */
  failNext(kind: Call['kind'], fault: Fault): void
  setDown(down: boolean): void
  isDown(): boolean
  /** Every change of a total, by any party. */
  writes: Written[]
  /** The call that made a change; undefined where the vendor itself did. */
  callOf(written: Written): Call | undefined
  /** Every call and how it ended, the latest 10,000. */
  exchanges: Exchange[]
  /** Each of them, in their order, the latest 10,000. */
  fieldWrites: FieldWrite<VendorFields>[]
  /** Writes that arrived while another one of the same subscription was not finished here. */
  readonly overlaps: number
  /** When nothing is left to be done late. */
  whenIdle(): Promise<void>
  /** @throws what went wrong in the fake itself, or in the test's own functions */
  close(): Promise<void>
}
