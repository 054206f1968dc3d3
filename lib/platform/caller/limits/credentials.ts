import 'server-only'
import { hash } from 'node:crypto'
import { cookieName, cookieValue } from '../session-cookie.ts'
import type { Refusal } from './spend.ts'

/** For how long a credential that was proven once is not a stranger's, in milliseconds. */
const PROVEN_MS = 10 * 60_000
/** For how long who is over a limit is answered so without being looked up again, in milliseconds. */
const HELD_MS = 1000
const MOST = 20_000

type Known = { until: number; held?: { until: number; refusal: Refusal } }

// Of the whole process, where routes have copies of this module.
const slot = globalThis as typeof globalThis & { licensesInvoicesCredentials?: Map<string, Known> }
const known = () => {
  slot.licensesInvoicesCredentials ??= new Map()
  return slot.licensesInvoicesCredentials
}

/** The digest of the key or the cookie that a request carries; undefined where it carries none. */
export function credentialOf(headers: { get(name: string): string | null }): string | undefined {
  const given =
    headers.get('authorization') ?? cookieValue(headers.get('cookie') ?? '', cookieName('console-session'))
  return given === undefined ? undefined : hash('sha256', given, 'base64url')
}

/** Whether it was somebody's a short while ago: then looking it up again is no guess of a stranger's. */
export function wasProven(credential: string): boolean {
  const found = known().get(credential)
  return found !== undefined && performance.now() < found.until
}

/** Notes that it is somebody's. */
export function prove(credential: string): void {
  const all = known()
  const until = performance.now() + PROVEN_MS
  const found = all.get(credential)
  if (found) {
    found.until = until
    return
  }
  all.set(credential, { until })
  const [oldest] = all.keys()
  if (all.size > MOST && oldest !== undefined) all.delete(oldest)
}

/** Notes that it is nobody's: it was revoked, or it ended. */
export function forget(credential: string): void {
  known().delete(credential)
}

/**
 * Remembers for a second that its caller is over a limit: a client that doesn't heed its refusals costs the database one
 * look-up a second. Nothing else is done for it meanwhile, so that nothing is lost where the key is revoked just then.
 */
export function hold(credential: string, refusal: Refusal): void {
  const found = known().get(credential)
  if (found) found.held = { until: performance.now() + HELD_MS, refusal }
}

/** The refusal that it was given a moment ago. */
export function heldRefusal(credential: string): Refusal | undefined {
  const held = known().get(credential)?.held
  return held && performance.now() < held.until ? held.refusal : undefined
}
