import 'server-only'
import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'

const addresses = z
  .string()
  .transform((text) => text.split(',').map((one) => one.trim()))
  .pipe(z.array(z.email({ error: 'must be email addresses, separated by commas' }).max(254)))

/** Recipients of mails about changes that do not settle by themselves: none by default. */
export const operatorSettings = defineSettings(
  z
    .object({
      OPERATOR_MAIL: addresses.optional(),
      /** Checked as a mail server together with the notices' settings. */
      SMTP_URL: z.string().optional(),
    })
    .transform(({ OPERATOR_MAIL, SMTP_URL }, context): string[] => {
      if (OPERATOR_MAIL && SMTP_URL === undefined)
        context.addIssue({ code: 'custom', path: ['SMTP_URL'], message: 'is required, too' })
      return OPERATOR_MAIL ?? []
    }),
)
