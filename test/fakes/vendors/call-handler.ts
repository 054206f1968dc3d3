import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { FakeOptions, FieldWrite } from './fake.ts'
import { type Fault, type PersistentFault, persistentFaultFor, play, type Stage } from './faults.ts'
import { type Answer, type Call, callOf, type Exchange, type FakeVendor, type Route } from './routes.ts'
import type { Pages, Store, Written } from './store.ts'
import { conclude, disconnected } from './wire.ts'

const MAX_EXCHANGES = 10_000

type Arrived = { number: number; request: IncomingMessage; response: ServerResponse; text: string }

/** The life of each call: it arrives, suffers its fault, is done or not, and is answered or not. */
export function callHandler<VendorFields>(
  vendor: FakeVendor<VendorFields>,
  store: Store<VendorFields>,
  options: FakeOptions,
) {
  const { delayMs = 450, delayUntil, staleMs = 60, retryAfter = 1, choose, onStep } = options
  const persistentFaults = new Map<number, PersistentFault | undefined>()
  const next: { kind: Call['kind']; fault: Fault }[] = []
  const exchanges: Exchange[] = []
  const fieldWrites: FieldWrite<VendorFields>[] = []
  const delayed = new Set<Promise<unknown>>()
  const end = new AbortController()
  const unfinished = new Map<Call, number>()
  const makers = new WeakMap<Written, Call>()
  let overlaps = 0
  let down = false

  function faultOf(call: Call): Fault | undefined {
    if (down) return 'down'
    const at = next.findIndex(({ kind }) => kind === call.kind)
    if (at >= 0) return next.splice(at, 1)[0]?.fault
    const key = store.keyOf(call.subscriptionId)
    return (
      persistentFaultFor(key === undefined ? undefined : persistentFaults.get(key), call.kind) ??
      choose?.(call)
    )
  }

  /** Counts a write that isn't finished, until the function that it gives back is called. */
  function begin(call: Call): () => void {
    const key = store.keyOf(call.subscriptionId)
    if (call.kind !== 'write' || key === undefined) return () => {}
    if ([...unfinished.values()].includes(key)) overlaps += 1
    unfinished.set(call, key)
    return () => unfinished.delete(call)
  }

  async function step(call: Call, moment: 'arrived' | 'applied' | 'answered'): Promise<void> {
    if (call.kind === 'write') await onStep?.(`write-${moment}`, call)
    else if (call.kind === 'read' && moment !== 'applied') await onStep?.(`read-${moment}`, call)
  }

  async function act(
    route: Route<VendorFields>,
    call: Call,
    pages: Pages<VendorFields> = store,
  ): Promise<Answer> {
    if (route.kind !== 'write') return route.handle(call, pages)
    const count = store.writes.length
    const before = store.find(call.subscriptionId ?? '')?.vendorFields
    const answer = route.handle(call, store)
    const after = store.find(call.subscriptionId ?? '')?.vendorFields
    for (const written of store.writes.slice(count)) makers.set(written, call)
    const isOther = before && after && JSON.stringify(before) !== JSON.stringify(after)
    if (isOther) {
      fieldWrites.push({ call, before, after, at: Date.now() })
      if (fieldWrites.length > MAX_EXCHANGES) fieldWrites.shift()
    }
    if (isOther || store.writes.length > count) await step(call, 'applied')
    return answer
  }

  async function handle({ request, response, ...arrived }: Arrived): Promise<void> {
    const { call, route } = callOf(vendor.routes, request, arrived)
    const finish = begin(call)
    let delayedCall: Promise<unknown> = Promise.resolve()
    const stage: Stage<Answer> = {
      act: async () => (route ? act(route, call) : vendor.missing(call)),
      stale: async () => (route ? act(route, call, store.asOf(Date.now() - staleMs)) : vendor.missing(call)),
      actLater() {
        delayedCall = atLast(async () => route && act(route, call))
      },
      error: vendor.error,
      throttled: () => vendor.throttled(retryAfter),
    }
    try {
      await step(call, 'arrived')
      const fault = faultOf(call)
      const ending = await play(fault, stage, vendor.faults)
      record({ call, answer: ending, fault })
      // The client may send its next write as soon as it has its answer.
      const over = (ending === 'hang' ? disconnected(response) : delayedCall)
        .then(() => delayedCall)
        .finally(finish)
      await conclude(response, ending)
      if (typeof ending === 'object') await step(call, 'answered')
      await over
    } finally {
      finish()
    }
  }

  function atLast<Done>(act: () => Promise<Done>): Promise<unknown> {
    const time = delayUntil ? delayUntil() : delay(delayMs, undefined, { signal: end.signal })
    const done = time.then(act, () => {})
    delayed.add(done)
    const forget = () => delayed.delete(done)
    done.then(forget, forget)
    return done
  }

  function record(exchange: Exchange): void {
    exchanges.push(exchange)
    if (exchanges.length > MAX_EXCHANGES) exchanges.shift()
  }

  return {
    handle,
    persistentFaults,
    next,
    exchanges,
    fieldWrites,
    callOf: (written: Written) => makers.get(written),
    overlaps: () => overlaps,
    isDown: () => down,
    setDown(isDown: boolean) {
      down = isDown
    },
    async whenIdle() {
      while (delayed.size > 0) await Promise.allSettled(delayed)
    },
    forget: () => end.abort(),
  }
}
