import 'server-only'
import { type Caller, may, PERMISSION_NAMES, rolesWith } from '#lib/platform/caller/rules.ts'
import { isProduction } from '#lib/platform/runtime/env.ts'
import type { AnyContract, Input, Output } from './contract.ts'
import { Problem } from './problem.ts'

/** Answer of an operation. `version` leads the ETag of resources that have one. */
export type Reply<Body> = {
  body: Body
  version?: string
  /** Status where it is not 200: for calls of another protocol. */
  status?: 201 | 204
  headers?: Record<string, string>
  /** Stored body of an earlier answer, to be sent unchanged. */
  saved?: string
}

/** Identifies the request of an effect, in change and audit rows. */
export type RequestMeta = { requestId: string }

type Perform<C extends AnyContract> = (
  caller: C['permission'] extends 'none' ? Caller | undefined : Caller,
  input: Input<C>,
  meta: RequestMeta,
) => Promise<Reply<Output<C>>>

/** Contract with its implementation. Endpoints mount it and pages call it, in the same way. */
export type Operation<C extends AnyContract = AnyContract> = Perform<C> & { contract: C }

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
  const guarded: Perform<C> = async (caller, input, meta) => {
    checkPermission(caller, contract.permission)
    const reply = await perform(caller, input, meta)
    if (isExact && isProduction()) return reply
    const body = contract.output.parse(reply.body) as Output<C>
    if (isExact) checkSame(contract.name, body, reply.body)
    return { ...reply, body }
  }
  return Object.assign(guarded, { contract })
}

function checkSame(name: string, declared: unknown, made: unknown): void {
  if (JSON.stringify(declared) === JSON.stringify(made)) return
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
