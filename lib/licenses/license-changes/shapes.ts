import { z } from 'zod'
import { outlook, seats } from '#lib/licenses/assets/contract.ts'
import { actor, others } from '#lib/platform/history/shapes.ts'
import { timeOf } from '#lib/platform/lists/unix-time.ts'

const acknowledged = z.object({
  actor: actor.meta({ description: 'Who said so.' }),
  time: timeOf('When it was said'),
})

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
      description: `Open: CLAIMED, SENT, UNKNOWN (the vendor has not confirmed it). Settled: APPLIED, REJECTED by the vendor, FAILED (not applied). UNCLEAR: nobody can tell any more whether the vendor did it; the asset is free for another change, which is decided on a fresh read. DRIFT: made by the vendor. RECORDED: what a file that an operator imported said, which asked no vendor; ${others}`,
    }),
    vendorReason: z.string().optional().meta({
      description: 'Why the vendor refused, what is known of a failure, or what to do where it is UNCLEAR.',
    }),
    actor: actor.meta({ description: 'Who asked for it, or that the vendor did it.' }),
    createTime: timeOf('When it was asked for'),
    settleTime: timeOf('When the outcome was known').optional(),
    ...outlook,
    acknowledged: acknowledged
      .optional()
      .meta({ description: 'That somebody has checked an UNCLEAR change. Absent where nobody has.' }),
  })
  .meta({ id: 'LicenseChange', description: 'A total that was asked for, and what became of it.' })
