import 'server-only'
import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'
import { secret, text } from '#lib/platform/runtime/settings.ts'
import { type KeyLimits, MAX_DAYS } from './keys/rules.ts'

/** Lifetime of API keys. */
export const keySettings = defineSettings(
  z
    .object({
      KEY_DAYS: z.coerce.number().int().min(1).max(MAX_DAYS).default(365),
      KEYS_WITHOUT_END: z.enum(['0', '1']).default('0'),
    })
    .transform(
      (values): KeyLimits => ({ mostDays: values.KEY_DAYS, withoutEnd: values.KEYS_WITHOUT_END === '1' }),
    ),
)

export const factorSettings = defineSettings(
  z
    .object({
      FACTOR_SECRET: secret.optional(),
    })
    .transform(({ FACTOR_SECRET }) => ({ secret: FACTOR_SECRET })),
)

const listed = (setting: string | undefined) =>
  (setting ?? '').split(',').flatMap((one) => one.trim().toLowerCase() || [])

/** Settings of single sign-on: hosts that the service may call in addition to public ones. */
export const signOnSettings = defineSettings(
  z
    .object({
      SIGN_ON_PRIVATE_HOSTS: text.optional(),
      SIGN_ON_DNS: text.optional(),
    })
    .transform((values) => ({
      /**
       * Hosts of issuers, with their port where it is not 443, that may have private addresses; on loopback http is
       * allowed as well.
       */
      privateHosts: listed(values.SIGN_ON_PRIVATE_HOSTS),
      /** Name servers for the records of domains; empty: those of this machine. */
      nameServers: listed(values.SIGN_ON_DNS),
    })),
)
