import 'server-only'
import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'
import { text } from '#lib/platform/runtime/settings.ts'

const listed = (given: string | undefined) =>
  (given ?? '').split(',').flatMap((one) => one.trim().toLowerCase() || [])

/** Of single sign-on: whom the service may ask beside what stands in the public internet. */
export const signOnSettings = defineSettings(
  z
    .object({
      SIGN_ON_PRIVATE_HOSTS: text.optional(),
      SIGN_ON_DNS: text.optional(),
    })
    .transform((given) => ({
      /** Hosts of issuers, with their port where it is not 443, that may have private addresses; loopback also by http. */
      privateHosts: listed(given.SIGN_ON_PRIVATE_HOSTS),
      /** Name servers that are asked for the records of domains; none: those of this machine. */
      nameServers: listed(given.SIGN_ON_DNS),
    })),
)
