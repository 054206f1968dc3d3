import { z } from 'zod'
import { DOCUMENT_FORMS } from '../rules.ts'

/** A day of an invoice on the wire. */
export const day = z.int().meta({ description: 'A day: epoch time in milliseconds of its midnight in UTC.' })
/** The same, of which `what` says what it is the day of. */
export const dayOf = (what: string) =>
  day.meta({ description: `${what}: epoch time in milliseconds of that day's midnight in UTC.` })

const number = z.string().meta({ description: 'As its issuer numbers it.' })
const id = z.string().meta({ description: 'Where it can be read.' })

/** Additions to the read of one invoice: what document it is, and which others it stands for or against. */
export const documentFields = {
  form: z.enum(DOCUMENT_FORMS).meta({
    description: 'invoice, or summary: a summary of charges, of which the vendor issued no such paper.',
  }),
  billingAccount: z.string().optional().meta({ description: 'The account at the issuer that is billed.' }),
  periodStart: dayOf('The first day of the period that is billed').optional(),
  periodEnd: dayOf('The day after the last one of the period that is billed').optional(),
  corrects: z
    .object({
      number,
      id: id.optional().meta({ description: 'Absent where it is not here, or not for the caller to see.' }),
    })
    .optional()
    .meta({ description: 'The invoice of the same issuer that this credit note or correction refers to.' }),
  correctedBy: z
    .array(z.object({ number, id }))
    .meta({ description: 'Issued credit notes and corrections that refer to this invoice, oldest first.' }),
  replaces: z.string().optional().meta({
    description:
      'The `id` of the voided invoice, or of the draft, into whose place this one came; the newest.',
  }),
  replacedBy: z.string().optional().meta({
    description: 'Of a voided invoice: the `id` of the one that came into its place.',
  }),
}
