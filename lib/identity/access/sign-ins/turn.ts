import 'server-only'
import { gate } from '#lib/platform/caller/limits/gate.ts'

const BOUNDS = { waiting: 60, patience: 5000 }

/**
 * An attempt takes the one connection that may look accounts up, and a thread. Strangers, who may come from a thousand
 * addresses, leave both to browsers in which somebody has signed in before, whatever their account: a mark is all that
 * is known before anything is asked.
 */
const ways = { strangers: gate({ atOnce: 2, ...BOUNDS }), marked: gate({ atOnce: 2, ...BOUNDS }) }

/**
 * Waits for the turn of an attempt to sign in; what it gives ends it.
 * @throws Problem `service_unavailable`, where too many wait or it took too long
 */
export function signInTurn(who: keyof typeof ways): Promise<() => void> {
  return ways[who]()
}
