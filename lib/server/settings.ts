import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'

/** Public settings of the console's address, for browsers and security researchers. */
export type ExposureConfig = {
  /** Whether HSTS includes all subdomains of the public host. */
  hstsSubdomains: boolean
  /** Contact for vulnerability reports, as a mail or web address; undefined: none. */
  securityContact: string | undefined
}

const contact = z
  .string()
  .trim()
  .refine(
    (text) => z.email().safeParse(text).success || z.url({ protocol: /^https$/ }).safeParse(text).success,
    'must be an email address or an address that begins with https://',
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

/** Memory of a process in bytes above which its heap grows less between collections; 0: none. */
export const memorySettings = defineSettings(
  z
    .object({
      MEMORY_TARGET_MB: z.coerce.number().int().min(0).max(65_536).default(300),
    })
    .transform(({ MEMORY_TARGET_MB }) => ({ targetBytes: MEMORY_TARGET_MB * 1024 * 1024 })),
)
