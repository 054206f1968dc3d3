import 'server-only'
import { type Caller, may, PERMISSION_NAMES, rolesWith } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { Outgoing, Pieces } from '#lib/platform/files/stream.ts'
import { isProduction } from '#lib/platform/runtime/env.ts'
import { cacheKey, memberOf, readAnswer, storeAnswer } from './answer-cache.ts'
import type { AnyContract, CachedCaller, CachePart, Input, Output } from './contract.ts'
import { Problem } from './problem.ts'

/** Answer of an operation. `version` leads the ETag of resources that have one. */
export type Reply<Body> = {
  body: Body
  version?: string | undefined
  /** Status where it is not 200: for calls of another protocol. */
  status?: 201 | 204
  headers?: Record<string, string>
  /** False if the read began work, such as settling an open change: it must begin again with each request. */
  isCacheable?: boolean
  /**
   * Earliest time in epoch milliseconds, by the database's clock, at which the same rows have another answer; without
   * it, only another day does.
   */
  validUntil?: number | undefined
  /** Stored body of an earlier answer, or an encoded form of `body`, to be sent unchanged. */
  saved?: string | Uint8Array
}

/**
 * Marks the confirmation of a change as used, in the transaction that makes the change; a thrown problem undoes both.
 * @param seatVersion version of the asset's seats, where the change itself does not compare it
 */
export type Confirm = (tx: Transaction, seatVersion?: number) => Promise<void>

/** Identifies the request of an effect, in change and audit rows. */
export type RequestMeta = {
  requestId: string
  confirm?: Confirm | undefined
  /** Whether the endpoint itself caches the bytes of the answer. */
  cachesBytes?: boolean
}

/** Caller that the operation receives: of a cached call, only the parts that its answer may depend on. */
type CallerOf<C extends AnyContract> = C extends { cachedBy: readonly (infer Part extends CachePart)[] }
  ? CachedCaller<Part>
  : C['permission'] extends 'none'
    ? Caller | undefined
    : Caller

type Perform<C extends AnyContract> = (
  caller: CallerOf<C>,
  input: Input<C>,
  meta: RequestMeta,
) => Promise<Reply<Output<C>>>

type Call<C extends AnyContract> = (
  caller: C['permission'] extends 'none' ? Caller | undefined : Caller,
  input: Input<C>,
  meta: RequestMeta,
) => Promise<Reply<Output<C>>>

/** Contract with its implementation. Endpoints mount it and pages call it, in the same way. */
export type Operation<C extends AnyContract = AnyContract> = Call<C> & { contract: C }

// biome-ignore lint/suspicious/noExplicitAny: a mount takes operations of any contract
export type AnyOperation = Operation<any>

/**
 * Binds code to its contract. Because pages call operations directly, the permission is checked again and undeclared
 * members are removed here.
 * @param isExact whether `perform` itself makes each answer as the contract declares it, field by field and in its
 * order. Outside of production each answer is compared, and a difference is an error; in production the answer leaves
 * as it was made.
 */
export function operation<C extends AnyContract>(
  contract: C,
  perform: Perform<C>,
  { isExact = false } = {},
): Operation<C> {
  const performed: Call<C> = async (caller, input, meta) => {
    const reply = await perform(partOf(caller, contract), input, meta)
    if (isExact && isProduction()) return reply
    if (!isExact) return { ...reply, body: contract.output.parse(reply.body) as Output<C> }
    const made = String(reply.saved ?? JSON.stringify(reply.body))
    const body = contract.output.parse(JSON.parse(made)) as Output<C>
    checkSame(contract.name, body, made)
    return { ...reply, body }
  }
  const guarded: Call<C> = async (caller, input, meta) => {
    checkPermission(caller, contract.permission)
    const cacheId =
      contract.cachedBy && !meta.cachesBytes ? cacheKey(contract, caller, questionOf(input)) : undefined
    if (!cacheId) return performed(caller, input, meta)
    const cached = readAnswer(cacheId)
    if (cached) {
      const { body, headers, version } = cached
      return { body: JSON.parse(body.toString()), headers, version }
    }
    const reply = await performed(caller, input, meta)
    const { body, headers = {}, version, isCacheable = true, validUntil } = reply
    const bytes = Buffer.from(JSON.stringify(body))
    if (isCacheable) storeAnswer(cacheId, { body: bytes, headers, version, validUntil, etag: '' })
    return reply
  }
  return Object.assign(guarded, { contract })
}

/**
 * Returns the text of a page's question, which differs for each other input.
 * @throws Error for an input whose parts JSON does not write, such as a Set
 */
function questionOf(input: unknown): string {
  return `page ${JSON.stringify(input, (_, part) => {
    if (isPlain(part)) return part
    throw new Error('An input of a cached call consists of plain values.')
  })}`
}

function isPlain(part: unknown): boolean {
  if (typeof part === 'number') return Number.isFinite(part)
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return typeof part !== 'function'
  const prototype = Object.getPrototypeOf(part)
  return prototype === Object.prototype || prototype === null
}

/** Returns only those parts of a caller that are in the cache's key: a cached answer can't depend on others. */
function partOf<C extends AnyContract>(caller: Caller | undefined, { cachedBy }: C): CallerOf<C> {
  if (!cachedBy || !caller) return caller as CallerOf<C>
  const { customerId, roles, billingProfiles } = caller
  const parts: readonly CachePart[] = cachedBy
  const has = (part: CachePart) => parts.includes(part)
  return {
    customerId,
    ...(has('roles') ? { roles } : {}),
    ...(has('billingProfiles') ? { billingProfiles } : {}),
    ...(has('member') ? memberOf(caller) : {}),
  } as unknown as CallerOf<C>
}

function checkSame(name: string, declared: unknown, made: string): void {
  if (JSON.stringify(declared) === made) return
  throw new Error(`${name} answers what its contract does not list, or in another order.`)
}

/**
 * Checks that the caller's customer is open, before anything is done; the database refuses a change that races the
 * closing (lib/platform/db/scope.ts).
 * @throws Problem `customer_closed`, which names the day until which everything can be read
 */
export function checkOpen(
  caller: Caller | undefined,
  { method, evenIfClosed }: Pick<AnyContract, 'method' | 'evenIfClosed'>,
): void {
  if (!caller?.closed || method === 'GET' || evenIfClosed) return
  const [at, removalDate] = [caller.closed.at, caller.closed.goneAt].map((time) =>
    time.toISOString().slice(0, 10),
  )
  const detail = `${caller.customerName} is closed since ${at}. Everything can be read until ${removalDate}; nothing can be changed.`
  throw new Problem('customer_closed', detail)
}

/**
 * Checks that the caller holds the permission.
 * @throws Problem `unauthenticated` or `permission_denied`, which names the permission
 */
export function checkPermission(caller: Caller | undefined, permission: AnyContract['permission']): void {
  if (permission === 'none') return
  if (!caller) throw new Problem('unauthenticated', undefined, { headers: { 'WWW-Authenticate': 'Bearer' } })
  if (permission === 'any' || may(caller, permission)) return
  throw new Problem(
    'permission_denied',
    `This needs the permission ${PERMISSION_NAMES[permission]}, which comes with the role ${rolesWith(permission)}.`,
    { members: { permission: PERMISSION_NAMES[permission] } },
  )
}

/** Returns whether a reply's body is a file that is made while it is sent. */
export function isPieces(body: unknown): body is Pieces {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

/** Returns whether an answer's body is sent chunk by chunk. */
export function isOutgoing(body: unknown): body is Outgoing {
  return typeof body === 'object' && body !== null && 'next' in body
}
