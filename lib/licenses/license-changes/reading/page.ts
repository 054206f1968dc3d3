import 'server-only'
import { type Held, heldOf, noteToldAgain } from '#lib/licenses/vendor-readings/subscriptions.ts'
import { observationOf } from '#lib/licenses/vendor-subscriptions/observation.ts'
import type { Observed, RemoteVendor } from '#lib/vendors/vendor.ts'
import { accountOf } from './due.ts'
import { forEach } from './for-each.ts'
import { take } from './take.ts'

/**
 * Takes over what a page of a vendor's list tells of subscriptions that we have. Those of which it tells what it told
 * before are noted in one statement; each of the others is a transaction.
 * @returns how many were told of
 */
export async function takePage(
  vendor: RemoteVendor,
  items: readonly Observed[],
  requestId: string,
): Promise<number> {
  const pairs = await matched(vendor, items)
  const isKnown = ([held, observed]: Pair) => held.observation === observationOf(observed)
  await noteToldAgain(pairs.filter(isKnown).map(([held]) => held))
  await forEach(
    pairs.filter((pair) => !isKnown(pair)),
    ([held, observed]) => take(vendor, held, observed, requestId),
  )
  return pairs.length
}

type Pair = [Held, Observed]

async function matched(vendor: RemoteVendor, items: readonly Observed[]): Promise<Pair[]> {
  const named = items.map(({ customerId, ...item }) => ({ ...item, vendorCustomerId: customerId }))
  const held = Map.groupBy(await heldOf(accountOf(vendor), named), nameOf)
  return items.flatMap((observed) => {
    const { customerId: vendorCustomerId, subscriptionId } = observed
    const alike = held.get(nameOf({ vendorCustomerId, subscriptionId })) ?? []
    const same = alike.filter(({ vendorCustomerId: customerId, ...one }) =>
      vendor.isSame({ ...one, customerId }, observed),
    )
    return same.map((one): Pair => [one, observed])
  })
}

function nameOf({ vendorCustomerId, subscriptionId }: Pick<Held, 'vendorCustomerId' | 'subscriptionId'>) {
  return JSON.stringify([vendorCustomerId, subscriptionId]).toLowerCase()
}
