import 'server-only'
import { z } from 'zod'

/** What a subscription renews, as an order for the next term names it. */
export const Product = z.object({
  productId: z.string(),
  skuId: z.string(),
  availabilityId: z.string(),
  billingCycle: z.string(),
  termDuration: z.string(),
})

const Bought = z.object({ offerId: z.string(), billingCycle: z.string(), termDuration: z.string() })

/** New commerce alone names its offers product:SKU:availability, and takes orders for the next term. */
export function productOf(raw: unknown): z.output<typeof Product> | undefined {
  const bought = Bought.safeParse(raw).data
  const [productId, skuId, availabilityId, ...more] = bought?.offerId.split(':') ?? []
  if (!bought || !productId || !skuId || !availabilityId || more.length > 0) return undefined
  const { billingCycle, termDuration } = bought
  return { productId, skuId, availabilityId, billingCycle, termDuration }
}
