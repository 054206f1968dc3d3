import 'server-only'
import { setTimeout as wait } from 'node:timers/promises'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { fairSemaphore } from '#lib/platform/runtime/concurrency.ts'
import { log, measured, reasonOf } from '#lib/platform/runtime/log.ts'
import {
  claimMessage,
  customersWithMessages,
  type Message,
  NO_CUSTOMER,
  type Outcome,
  recordOutcome,
} from './store.ts'

/** Kinds of messages that share a transport: mail, or webhooks. */
export type Channel = {
  kinds: readonly string[]
  /** Time after which a claimed message counts as lost with its process; longer than a delivery takes. */
  leaseSeconds: number
  /** Most concurrent deliveries of one customer, and of all. */
  share: number
  most: number
  /** Whether the transport is configured; messages wait otherwise. */
  isOn(): boolean
  deliver(message: Message): Promise<DeliveryResult>
}

export type DeliveryResult = {
  outcome: Outcome
  /** Writes what belongs to the outcome, in its transaction. Not called where the lease was lost. */
  record?: (tx: Transaction) => Promise<unknown>
  /** Reason why the transport is unavailable for every message: the channel rests. */
  unavailable?: string | undefined
}

/** Interval in which the worker looks for due messages, and rest of an unavailable channel. */
const POLL_MS = 1000
const REST_MS = 60_000

/** Messages are delivered after their customer was closed, too. */
const EVEN_IF_CLOSED = { evenIfClosed: true }

/**
 * Delivers all messages that are due now. Safe in several processes at a time.
 * @param only limits the run to these customers
 * @returns the number of successful deliveries
 * @throws Error where the transport is unavailable: no further message is tried; AggregateError of other failures
 */
export async function deliverDue(
  channel: Channel,
  { requestId, signal, only }: { requestId: string; signal: AbortSignal; only?: readonly CustomerId[] },
): Promise<number> {
  if (!channel.isOn()) return 0
  const run = channelRun(channel, requestId, signal)
  for (const customerId of only ?? (await customersWithMessages(channel.kinds))) run.start(customerId)
  await run.end()
  const { errors, count, unavailable } = run.state
  if (unavailable) throw new Error(unavailable)
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} deliveries failed.`)
  return count
}

/**
 * Delivers messages as they become due, until the signal. Safe in several processes at a time.
 * @returns resolves when the deliveries that have begun are recorded
 */
export async function deliverContinuously(channel: Channel, signal: AbortSignal): Promise<void> {
  const { state, start, end } = channelRun(channel, 'outbox', signal)
  while (!signal.aborted) {
    if (channel.isOn())
      try {
        for (const customerId of await customersWithMessages(channel.kinds)) start(customerId)
      } catch (error) {
        state.errors.push(error)
      }
    for (const error of state.errors.splice(0))
      log().warn({ reason: reasonOf(error).slice(0, 300) }, 'outbox not read')
    const { unavailable: reason } = state
    if (reason) log().warn({ reason }, 'outbox rests')
    await wait(reason ? REST_MS : POLL_MS, undefined, { signal }).catch(() => {})
    state.unavailable = undefined
  }
  await end()
}

function channelRun(channel: Channel, requestId: string, signal: AbortSignal) {
  const { share, most } = channel
  const semaphore = fairSemaphore({ most, share, timeoutError: () => new Error('The outbox is full.') })
  const lanes = new Map<CustomerId, number>()
  const running = new Set<Promise<void>>()
  const state = { errors: [] as unknown[], count: 0, unavailable: undefined as string | undefined }
  /** Delivers one message. @returns whether there was one */
  const next = async (customerId: CustomerId): Promise<boolean> => {
    const release = await semaphore.acquire(customerId)
    try {
      if (signal.aborted || state.unavailable) return false
      const claim = (tx: Transaction) => claimMessage(tx, customerId, channel.kinds, channel.leaseSeconds)
      const message = await scope({ customerId }, claim, EVEN_IF_CLOSED)
      if (!message) return false
      const result = await channel.deliver(message)
      const { outcome } = result
      state.unavailable ??= result.unavailable
      const write = async (tx: Transaction) => {
        if (await recordOutcome(tx, message, outcome)) await result.record?.(tx)
      }
      await scope(message, write, EVEN_IF_CLOSED)
      measured('outbox', { kind: message.kind, outcome: outcome.state.toLowerCase() })
      if (outcome.state === 'SENT') state.count += 1
      else {
        const { kind, id, recipient } = message
        // Without a customer, the recipient is an address, which no log contains.
        const to = customerId === NO_CUSTOMER ? {} : { recipient }
        log().warn({ requestId, customerId, kind, id, ...to, ...outcome }, 'message not delivered')
      }
      return true
    } finally {
      release()
    }
  }
  /** Delivers the customer's messages one after the other until none is due. */
  const lane = async (customerId: CustomerId) => {
    lanes.set(customerId, (lanes.get(customerId) ?? 0) + 1)
    try {
      while (await next(customerId));
    } catch (error) {
      state.errors.push(error)
    } finally {
      const left = (lanes.get(customerId) ?? 1) - 1
      if (left > 0) lanes.set(customerId, left)
      else lanes.delete(customerId)
    }
  }
  return {
    state,
    /** Begins as many concurrent deliveries of the customer's messages as its share allows. */
    start(customerId: CustomerId) {
      for (let free = share - (lanes.get(customerId) ?? 0); free > 0; free--) {
        const promise = lane(customerId)
        running.add(promise)
        promise.finally(() => running.delete(promise))
      }
    },
    end: () => Promise.all(running),
  }
}
