import 'server-only'
import type { Budgets } from '../budgets.ts'
import { inBackground } from '../client.ts'
import type { VendorCalls } from '../declaration.ts'
import { client } from './client.ts'
import { list } from './list.ts'
import { read } from './read.ts'
import type { Config } from './settings.ts'
import { setNextTerm, setQuantity } from './write.ts'

/**
 * Connects to Google's Workspace Reseller API v1. It has neither conditional nor idempotent writes: a number of
 * licenses is a total, and the outcome of a lost call has to be read. Tested against Google's published rules only, not
 * against the live service.
 */
export function connect(config: Config, budgets: Budgets): VendorCalls {
  const budget = budgets('reseller', config.callsPerMinute)
  const google = client(config, budget)
  return {
    read: (ref, signal) => read(google, ref, signal),
    setQuantity: (observed, total, _changeId, signal) => setQuantity(google, observed, total, signal),
    setNextTerm: (observed, next, _requestId, signal) => setNextTerm(google, observed, next, signal),
    list: (cursor, signal) => list(inBackground(google), cursor, signal),
    secondsUntilAvailable: () => budget.secondsUntilAvailable(),
  }
}
