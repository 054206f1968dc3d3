import { z } from 'zod'

/** Whom the API's description names: `info.contact` and `info.license` of OpenAPI. */
export type ApiInfo = {
  contact: { name: string; email?: string }
  license: { name: string; url: string } | { name: string; identifier: string }
}

const text = z.string().trim().min(1).max(200)

/** Settings of the API's description: a part of those that `env()` reads. */
export const API_SETTINGS = {
  API_CONTACT_NAME: text.default('Licenses & Invoices'),
  API_CONTACT_EMAIL: z.email().optional(),
  API_LICENSE_NAME: text.optional(),
  API_LICENSE_URL: z.url({ protocol: /^https?$/ }).optional(),
}

type Settings = z.output<z.ZodObject<typeof API_SETTINGS>>

/** @throws Error where the licence has a name without an address, or the other way round */
export function apiInfoOf(given: Settings): ApiInfo {
  const { API_CONTACT_NAME: name, API_CONTACT_EMAIL: email, API_LICENSE_NAME, API_LICENSE_URL } = given
  if ((API_LICENSE_NAME === undefined) !== (API_LICENSE_URL === undefined))
    throw new Error('Wrong configuration. API_LICENSE_NAME and API_LICENSE_URL: both or neither')
  return {
    contact: email === undefined ? { name } : { name, email },
    license:
      API_LICENSE_NAME && API_LICENSE_URL
        ? { name: API_LICENSE_NAME, url: API_LICENSE_URL }
        : { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  }
}
