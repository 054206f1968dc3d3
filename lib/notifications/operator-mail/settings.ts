import 'server-only'
import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'

const addresses = z
  .string()
  .transform((text) => text.split(',').map((one) => one.trim()))
  .pipe(z.array(z.email({ error: 'must be e-mail addresses, separated by commas' }).max(254)))

/** Who is told of changes of licenses that do not end by themselves: nobody unless told. */
export const operatorSettings = defineSettings(
  z
    .object({
      OPERATOR_MAIL: addresses.optional(),
      /** Whether it names a mail server is checked with the notices' settings. */
      SMTP_URL: z.string().optional(),
    })
    .transform(({ OPERATOR_MAIL, SMTP_URL }, context): string[] => {
      if (OPERATOR_MAIL && SMTP_URL === undefined)
        context.addIssue({ code: 'custom', path: ['SMTP_URL'], message: 'is needed too' })
      return OPERATOR_MAIL ?? []
    }),
)
