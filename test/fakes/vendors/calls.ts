import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Book, Pages, Written } from './book.ts'
import type { FakeOptions, OwnWrite } from './fake.ts'
import { type Fault, play, type Stage, type Standing, standingFault } from './faults.ts'
import { type Answer, type Call, callOf, type Exchange, type FakeVendor, type Route } from './routes.ts'
import { conclude, gone } from './wire.ts'

const KEPT_EXCHANGES = 10_000

type Arrived = { number: number; request: IncomingMessage; response: ServerResponse; text: string }

/** The life of each call: it arrives, suffers its fault, is done or not, and is answered or not. */
export function calls<Own>(vendor: FakeVendor<Own>, book: Book<Own>, options: FakeOptions) {
  const { lateMs = 450, lateUntil, staleMs = 60, retryAfter = 1, choose, onStep } = options
  const standing = new Map<number, Standing | undefined>()
  const next: { kind: Call['kind']; fault: Fault }[] = []
  const exchanges: Exchange[] = []
  const ownWrites: OwnWrite<Own>[] = []
  const late = new Set<Promise<unknown>>()
  const end = new AbortController()
  const unfinished = new Map<Call, number>()
  const makers = new WeakMap<Written, Call>()
  let overlaps = 0
  let down = false

  function faultOf(call: Call): Fault | undefined {
    if (down) return 'down'
    const at = next.findIndex(({ kind }) => kind === call.kind)
    if (at >= 0) return next.splice(at, 1)[0]?.fault
    const key = book.keyOf(call.subscriptionId)
    return standingFault(key === undefined ? undefined : standing.get(key), call.kind) ?? choose?.(call)
  }

  /** Counts a write that isn't finished, until the function that it gives back is called. */
  function begin(call: Call): () => void {
    const key = book.keyOf(call.subscriptionId)
    if (call.kind !== 'write' || key === undefined) return () => {}
    if ([...unfinished.values()].includes(key)) overlaps += 1
    unfinished.set(call, key)
    return () => unfinished.delete(call)
  }

  async function step(call: Call, moment: 'arrived' | 'applied' | 'answered'): Promise<void> {
    if (call.kind === 'write') await onStep?.(`write-${moment}`, call)
    else if (call.kind === 'read' && moment !== 'applied') await onStep?.(`read-${moment}`, call)
  }

  async function act(route: Route<Own>, call: Call, pages: Pages<Own> = book): Promise<Answer> {
    if (route.kind !== 'write') return route.handle(call, pages)
    const count = book.writes.length
    const before = book.find(call.subscriptionId ?? '')?.own
    const answer = route.handle(call, book)
    const after = book.find(call.subscriptionId ?? '')?.own
    for (const written of book.writes.slice(count)) makers.set(written, call)
    const isOther = before && after && JSON.stringify(before) !== JSON.stringify(after)
    if (isOther) {
      ownWrites.push({ call, before, after, at: Date.now() })
      if (ownWrites.length > KEPT_EXCHANGES) ownWrites.shift()
    }
    if (isOther || book.writes.length > count) await step(call, 'applied')
    return answer
  }

  async function take({ request, response, ...arrived }: Arrived): Promise<void> {
    const { call, route } = callOf(vendor.routes, request, arrived)
    const finish = begin(call)
    let lateCall: Promise<unknown> = Promise.resolve()
    const stage: Stage<Answer> = {
      act: async () => (route ? act(route, call) : vendor.notFound(call)),
      stale: async () => (route ? act(route, call, book.asOf(Date.now() - staleMs)) : vendor.notFound(call)),
      later() {
        lateCall = atLast(async () => route && act(route, call))
      },
      error: vendor.error,
      throttled: () => vendor.throttled(retryAfter),
    }
    try {
      await step(call, 'arrived')
      const fault = faultOf(call)
      const ending = await play(fault, stage, vendor.faults)
      keep({ call, answer: ending, fault })
      // The client may send its next write as soon as it has its answer.
      const over = (ending === 'hang' ? gone(response) : lateCall).then(() => lateCall).finally(finish)
      await conclude(response, ending)
      if (typeof ending === 'object') await step(call, 'answered')
      await over
    } finally {
      finish()
    }
  }

  function atLast<Done>(act: () => Promise<Done>): Promise<unknown> {
    const time = lateUntil ? lateUntil() : delay(lateMs, undefined, { signal: end.signal })
    const done = time.then(act, () => {})
    late.add(done)
    const forget = () => late.delete(done)
    done.then(forget, forget)
    return done
  }

  function keep(exchange: Exchange): void {
    exchanges.push(exchange)
    if (exchanges.length > KEPT_EXCHANGES) exchanges.shift()
  }

  return {
    take,
    standing,
    next,
    exchanges,
    ownWrites,
    callOf: (written: Written) => makers.get(written),
    overlaps: () => overlaps,
    isDown: () => down,
    setDown(isDown: boolean) {
      down = isDown
    },
    async settled() {
      while (late.size > 0) await Promise.allSettled(late)
    },
    forget: () => end.abort(),
  }
}
