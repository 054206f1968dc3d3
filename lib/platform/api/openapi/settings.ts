import 'server-only'
import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'
import { text, together } from '#lib/platform/runtime/settings.ts'

/** Contact and license in the API's description: `info.contact` and `info.license` of OpenAPI. */
export type ApiInfo = {
  contact: { name: string; email?: string }
  license: { name: string; url: string } | { name: string; identifier: string }
}

const short = text.max(200)

/** Contact and license in the API's description; license and its URL are set only together. */
export const apiSettings = defineSettings(
  z
    .object({
      API_CONTACT_NAME: short.default('Licenses & Invoices'),
      API_CONTACT_EMAIL: z.email().optional(),
      API_LICENSE_NAME: short.optional(),
      API_LICENSE_URL: z.url({ protocol: /^https?$/ }).optional(),
    })
    .transform(
      ({ API_CONTACT_NAME, API_CONTACT_EMAIL, API_LICENSE_NAME, API_LICENSE_URL }, context): ApiInfo => {
        const named = together({ API_LICENSE_NAME, API_LICENSE_URL }, context)
        return {
          contact: API_CONTACT_EMAIL
            ? { name: API_CONTACT_NAME, email: API_CONTACT_EMAIL }
            : { name: API_CONTACT_NAME },
          license: named
            ? { name: named.API_LICENSE_NAME, url: named.API_LICENSE_URL }
            : { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
        }
      },
    ),
)
