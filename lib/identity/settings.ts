import 'server-only'
import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'
import { secret, text } from '#lib/platform/runtime/settings.ts'
import { type KeyLimits, MOST_DAYS } from './keys/rules.ts'

/** How long API keys may be valid. */
export const keySettings = defineSettings(
  z
    .object({
      KEY_DAYS: z.coerce.number().int().min(1).max(MOST_DAYS).default(365),
      KEYS_WITHOUT_END: z.enum(['0', '1']).default('0'),
    })
    .transform(
      (given): KeyLimits => ({ mostDays: given.KEY_DAYS, withoutEnd: given.KEYS_WITHOUT_END === '1' }),
    ),
)

export const factorSettings = defineSettings(
  z
    .object({
      FACTOR_SECRET: secret.optional(),
    })
    .transform(({ FACTOR_SECRET }) => ({ secret: FACTOR_SECRET })),
)

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
