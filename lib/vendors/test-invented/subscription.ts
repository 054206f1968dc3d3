import 'server-only'
import { z } from 'zod'
import type { Observed } from '../vendor.ts'

const Subscription = z.object({
  id: z.string(),
  account: z.string(),
  product: z.string(),
  licenses: z.int().min(0),
  users: z.int().min(0),
  yearly: z.boolean(),
})

/** Returns the subscription of an answer; undefined if it is invalid. */
export function observedOf(resource: unknown): Observed | undefined {
  const subscription = Subscription.safeParse(resource).data
  return (
    subscription && {
      customerId: subscription.account,
      subscriptionId: subscription.id,
      skuId: subscription.product,
      status: 'ACTIVE',
      planName: subscription.yearly ? 'ANNUAL_YEARLY_PAY' : 'FLEXIBLE',
      isCommitmentPlan: subscription.yearly,
      commitmentStart: null,
      commitmentEnd: null,
      renewalType: null,
      seats: {
        purchased: subscription.licenses,
        maximum: subscription.licenses,
        assigned: subscription.users,
      },
    }
  )
}
