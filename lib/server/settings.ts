import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'

/** What the console tells browsers and strangers of the place where it is reached. */
export type ExposureConfig = {
  /** Whether browsers keep to https for all names below the public one, too. */
  hstsSubdomains: boolean
  /** Where flaws are told, as an address of mail or the web; undefined: nobody is named. */
  securityContact: string | undefined
}

const contact = z
  .string()
  .trim()
  .refine(
    (text) => z.email().safeParse(text).success || z.url({ protocol: /^https$/ }).safeParse(text).success,
    'must be an e-mail address or an address that begins with https://',
  )
  .transform((text) => (text.startsWith('https://') ? text : `mailto:${text}`))

export const exposureSettings = defineSettings(
  z
    .object({
      HSTS_SUBDOMAINS: z.enum(['0', '1']).default('0'),
      SECURITY_CONTACT: contact.optional(),
    })
    .transform(
      ({ HSTS_SUBDOMAINS, SECURITY_CONTACT }): ExposureConfig => ({
        hstsSubdomains: HSTS_SUBDOMAINS === '1',
        securityContact: SECURITY_CONTACT,
      }),
    ),
)
