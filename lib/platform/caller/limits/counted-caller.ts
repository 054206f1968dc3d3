import 'server-only'
import { Problem } from '#lib/platform/api/problem.ts'
import { traceThrottled } from '#lib/platform/history/requests.ts'
import { measured } from '#lib/platform/runtime/log.ts'
import { authenticate } from '../authenticate.ts'
import type { Caller, Door } from '../rules.ts'
import { credentialOf, forget, heldRefusal, hold, prove } from './credentials.ts'
import type { Kind } from './kind.ts'
import { type Refusal, spend } from './spend.ts'

/** The caller of a request that was counted, with the header fields that say how the limits stand. */
export type Counted = { caller: Caller; fields: Record<string, string> }

/**
 * Who is calling, and within the limits; undefined: nobody.
 * @param kind of the request, once it is known that somebody is calling
 * @throws Problem `unauthenticated` for a header that holds no valid key, `rate_limited`
 */
export async function countedCaller(
  headers: { get(name: string): string | null },
  kind: () => Kind,
  door: Door = 'api',
): Promise<Counted | undefined> {
  const credential = credentialOf(headers)
  if (credential === undefined) return undefined
  const held = heldRefusal(credential)
  if (held) throw counted(held)
  const caller = await proven(headers, credential, door)
  if (!caller) return undefined
  const asked = kind()
  const spent = await spend(caller, asked)
  if ('fields' in spent) return { caller, fields: spent.fields }
  if (asked === 'requests') hold(credential, spent.refused)
  await traceThrottled(caller, spent.refused.limit)
  throw counted(spent.refused)
}

/** What its caller is told, once it is counted for the operators. */
function counted({ limit, problem }: Refusal): Problem {
  measured('limit', { limit })
  return problem
}

async function proven(
  headers: { get(name: string): string | null },
  credential: string,
  door: Door,
): Promise<Caller | undefined> {
  try {
    const caller = await authenticate(headers, door)
    if (caller) prove(credential)
    else forget(credential)
    return caller
  } catch (error) {
    if (error instanceof Problem) forget(credential)
    throw error
  }
}
