import { z } from 'zod'
import { actor } from '#lib/platform/history/shapes.ts'
import { timeOf } from '#lib/platform/lists/unix-time.ts'

// What assets tell of their changes, and changes of themselves.

export const seats = z.int().min(0)

/** What can be said of a change that is open. */
export const outlook = {
  knownBy: z.int().optional().meta({
    description:
      'While it is open: by when its outcome is known, as epoch time in milliseconds, if the vendor answers when it is asked.',
  }),
  repeatable: z.literal(true).optional().meta({
    description:
      'Asking for the same total again may have it sent once more now, with one effect. Absent where there is only waiting.',
  }),
}

/** A change whose outcome is not known yet, beside its asset. */
export const openChange = z.object({
  id: z.string().meta({ description: 'Names the change: `/billing/v1/license-changes/{change_id}`.' }),
  to: seats.meta({ description: 'The total that was asked for.' }),
  state: z.string().meta({ description: 'CLAIMED, SENT, UNKNOWN.' }),
  actor: actor.meta({ description: 'Who asked for it.' }),
  createTime: timeOf('When it was asked for'),
  ...outlook,
})

/** A change that is settled, beside its asset. */
export const lastChange = z.object({
  id: z.string().meta({ description: 'Names the change: `/billing/v1/license-changes/{change_id}`.' }),
  from: seats.meta({ description: 'Purchased licenses before.' }),
  to: seats.meta({ description: 'The total that was asked for, or that the vendor set.' }),
  state: z.string().meta({ description: 'APPLIED, REJECTED, FAILED, UNCLEAR, DRIFT, RECORDED.' }),
  vendorReason: z.string().optional().meta({ description: 'What is known of it, in words.' }),
  actor: actor.meta({ description: 'Who asked for it, or that the vendor did it.' }),
  settleTime: timeOf('When its outcome was known'),
})
