import 'server-only'
import type { Budgets } from '../budgets.ts'
import { inBackground } from '../client.ts'
import type { VendorCalls } from '../declaration.ts'
import { client } from './client.ts'
import { list } from './list.ts'
import { lookup } from './lookup.ts'
import { read } from './read.ts'
import type { Config } from './settings.ts'
import { setQuantity } from './write.ts'

export function connect(config: Config, budgets: Budgets): VendorCalls {
  const budget = budgets('paperclip', config.callsPerMinute)
  const paperclip = client(config, budget)
  return {
    read: (ref, signal) => read(paperclip, ref, signal),
    setQuantity: (observed, total, changeId, signal) =>
      setQuantity(paperclip, observed, { total, requestId: changeId }, signal),
    lookup: (ref, write, signal) => lookup(paperclip, ref, write, signal),
    list: (cursor, signal) => list(inBackground(paperclip), cursor, signal),
    secondsUntilAvailable: () => budget.secondsUntilAvailable(),
  }
}
