import 'server-only'
import type { Budgets } from '../budgets.ts'
import { inBackground } from '../client.ts'
import type { VendorCalls } from '../declaration.ts'
import { assignments } from './assigned.ts'
import { client } from './client.ts'
import { customerList } from './customers.ts'
import { list } from './list.ts'
import { read } from './read.ts'
import type { Config } from './settings.ts'
import { setNextTerm, setQuantity } from './write.ts'

/**
 * Connects to Microsoft's Partner Center, with application-only authentication. Tested against the published rules
 * only, not against the live service. `skuId` is product:SKU of the offer. Assigned licenses are counted per customer
 * and SKU, where access is granted.
 */
export function connect(config: Config, budgets: Budgets): VendorCalls {
  const budget = budgets('partner-center', config.callsPerMinute)
  const microsoft = client(config, budget)
  const background = inBackground(microsoft)
  const assigned = assignments()
  const customers = customerList(background)
  return {
    read: (ref, signal) => read(microsoft, assigned, ref, signal),
    setQuantity: (observed, total, changeId, signal) =>
      setQuantity(microsoft, observed, { total, requestId: changeId }, signal),
    setNextTerm: (observed, next, requestId, signal) =>
      setNextTerm(microsoft, observed, { next, requestId }, signal),
    list: (cursor, signal) => list({ client: background, assigned, customers }, cursor, signal),
    secondsUntilAvailable: () => budget.secondsUntilAvailable(),
  }
}
