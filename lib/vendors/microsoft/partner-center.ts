import 'server-only'
import type { MicrosoftConfig } from '../settings.ts'
import type { Observed, Reading, RemoteVendor, SubscriptionRef } from '../vendor.ts'
import { assignments } from './assigned.ts'
import { client, subscriptionPath } from './client.ts'
import { closed, unavailable } from './errors.ts'
import { listing } from './list.ts'
import { foresee } from './own.ts'
import { observedOf, skuOf, withAssigned } from './subscription.ts'
import { writing } from './write.ts'

/** A read has little time, and its caller waits. */
const PATIENCE_MS = 1500

/**
 * Microsoft's Partner Center (cloud solution providers, new commerce), by application alone. Several files beside
 * this one hold its parts; nothing here was tried against the living service, only against its published rules.
 * `skuId` is product:SKU of the offer. Assigned licenses are counted per customer and SKU, where we are let in.
 */
export function microsoftPartnerCenter({ url, settleMs, ...credentials }: MicrosoftConfig): RemoteVendor {
  const api = client(url, credentials)
  const assigned = assignments(api)
  const { list, ofCustomer } = listing(api, assigned)

  /** The subscription with this id, without the assigned licenses. */
  async function readOne(ref: SubscriptionRef, signal: AbortSignal): Promise<Reading> {
    const { customerId, subscriptionId } = ref
    const reply = await api.call(subscriptionPath(customerId, subscriptionId), signal)
    if (reply.kind === 'answer' && reply.status === 404) {
      return { kind: 'missing', reason: 'Microsoft has no such subscription.' }
    }
    if (reply.kind !== 'answer' || reply.status !== 200) return closed(reply) ?? unavailable(reply)
    const header = reply.headers.get('etag')
    const observed = observedOf({ customerId, json: reply.text, header, assigned: undefined })
    return observed
      ? { kind: 'read', observed }
      : {
          kind: 'unavailable',
          reason: 'Microsoft answered with a subscription that is none.',
          others: 'answer',
        }
  }

  /** Its id changes with an upgrade or a transfer: then the one living subscription of its SKU is it. */
  async function findAgain({ customerId, skuId }: SubscriptionRef, signal: AbortSignal): Promise<Reading> {
    const answer = await ofCustomer(customerId, signal)
    if (answer.kind === 'unavailable') return answer
    const items = answer.kind === 'all' ? answer.items : []
    const living = items.filter((item) => item.skuId === skuOf(skuId) && item.status !== 'CANCELLED')
    const [found, another] = living
    if (found && !another) return { kind: 'read', observed: found }
    const reason = found ? `${living.length} subscriptions of this SKU` : 'no subscription of this SKU'
    return { kind: 'missing', reason: `Microsoft has ${reason} for the customer.` }
  }

  return {
    name: 'microsoft-partner-center',
    label: 'Microsoft',
    books: 'theirs',
    settleMs,
    foresee,
    async read(ref, signal) {
      const { customerId, subscriptionId } = ref
      const reading = await readOne(ref, signal)
      if (reading.kind === 'missing') return findAgain(ref, signal)
      if (reading.kind !== 'read') return reading
      const counts = await assigned(customerId, [subscriptionId], signal, PATIENCE_MS)
      return { kind: 'read', observed: withAssigned(reading.observed, counts.get(subscriptionId)) }
    },
    setQuantity: writing(api, (observed: Observed, signal) => readOne(observed, signal)),
    list,
  }
}
