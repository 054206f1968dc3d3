import { z } from 'zod'
import { MAX_QUANTITY } from '#lib/assets/rules.ts'

const ifMatch = z
  .string()
  .max(1000)
  .regex(/^\s*(\*|(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*)\s*$/, 'must be * or ETags in quotes')

/** What may come with a change of a quantity (CONTRACT 4). */
export const QuantityHeaders = z.object({
  'if-match': ifMatch
    .optional()
    .meta({ description: 'An ETag of the asset: 412 if its seats changed since.' }),
  'idempotency-key': z
    .string()
    .regex(/^[!-~]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
    .optional()
    .meta({ description: 'The same key and request get the same answer, for 24 hours.' }),
})

/** spec 4.2: the total after the change. */
export const QuantityBody = z.strictObject({
  quantity: z
    .int({ error: 'must be a whole number, as a JSON number' })
    .min(0, 'must be 0 or more')
    .max(MAX_QUANTITY, 'must be 1,000,000 or less')
    .meta({ description: 'Total number of licenses after the change.' }),
})
