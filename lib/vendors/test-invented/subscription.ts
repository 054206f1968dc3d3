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

/** A subscription as Paperclip tells it; undefined where it makes no sense. */
export function observedOf(resource: unknown): Observed | undefined {
  const given = Subscription.safeParse(resource).data
  return (
    given && {
      customerId: given.account,
      subscriptionId: given.id,
      skuId: given.product,
      status: 'ACTIVE',
      planName: given.yearly ? 'ANNUAL_YEARLY_PAY' : 'FLEXIBLE',
      isCommitmentPlan: given.yearly,
      commitmentStart: null,
      commitmentEnd: null,
      renewalType: null,
      seats: { purchased: given.licenses, maximum: given.licenses, assigned: given.users },
    }
  )
}
