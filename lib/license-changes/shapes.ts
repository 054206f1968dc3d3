import { z } from 'zod'
import { MAX_QUANTITY } from '#lib/assets/rules.ts'
import { actor, others, seats, timeOf } from '#lib/assets/shapes.ts'

const ifMatch = z
  .string()
  .max(1000)
  .regex(/^\s*(\*|(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*)\s*$/, 'must be * or ETags in quotes')

/** What may come with a change of a quantity (CONTRACT 4). */
export const QuantityHeaders = z.object({
  'if-match': ifMatch.optional().meta({
    description:
      'An ETag of the asset: 412 if its seats, plan or status changed since. Assigned users do not count.',
  }),
  'idempotency-key': z
    .string()
    .regex(/^[!-~]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
    .optional()
    .meta({ description: 'Of your own making: the same key and request get the same answer, for 24 hours.' }),
})

/** spec 4.2: the total after the change. */
export const QuantityBody = z
  .strictObject({
    quantity: z
      .int({ error: 'must be a whole number, as a JSON number' })
      .min(0, 'must be 0 or more')
      .max(MAX_QUANTITY, 'must be 1,000,000 or less')
      .meta({ description: 'Total number of licenses after the change.' }),
  })
  .meta({ id: 'Quantity', description: 'The total that is wanted.' })

/** An addition: a total that was asked for, and what became of it. */
export const LicenseChange = z
  .object({
    id: z.string().meta({ description: 'Names the change.' }),
    assetId: z.string().meta({ description: 'The asset that it changes.' }),
    assetName: z.string().meta({ description: 'The present name of the asset.' }),
    type: z.string().meta({ description: 'Type of the asset.' }),
    from: seats.meta({ description: 'Purchased licenses before.' }),
    to: seats.meta({ description: 'The total that was asked for.' }),
    state: z.string().meta({
      description: `Open: CLAIMED, SENT, UNKNOWN (the vendor has not confirmed it). Settled: APPLIED, REJECTED by the vendor, FAILED (not applied). DRIFT: made by the vendor; ${others}`,
    }),
    vendorReason: z
      .string()
      .optional()
      .meta({ description: 'Why the vendor refused, or what is known of a failure.' }),
    actor: actor.meta({ description: 'Who asked for it, or that the vendor did it.' }),
    createTime: timeOf('When it was asked for'),
    settleTime: timeOf('When the outcome was known').optional(),
  })
  .meta({ id: 'LicenseChange', description: 'A total that was asked for, and what became of it.' })
