import 'server-only'
import { z } from 'zod'
import {
  callsPerMinute,
  DAY_SECONDS,
  privateAddress,
  seconds,
  text,
  together,
  withoutSlash,
} from '#lib/platform/runtime/settings.ts'

export type Credentials = { tokenUrl: string; clientId: string; clientSecret: string }

export type Config = Credentials & {
  /** Base URL of the API, without a trailing slash. */
  url: string
  settleMs: number
  callsPerMinute: number
  idempotentWrites?: number | undefined
}

/** Undefined if Microsoft is not configured. */
export const settings = z
  .object({
    MICROSOFT_TENANT_ID: text.regex(/^[\w.-]+$/, 'must be a tenant id or a domain').optional(),
    MICROSOFT_CLIENT_ID: text.optional(),
    MICROSOFT_CLIENT_SECRET: text.optional(),
    MICROSOFT_URL: privateAddress.default('https://api.partnercenter.microsoft.com'),
    MICROSOFT_TOKEN_URL: privateAddress.optional(),
    MICROSOFT_SETTLE_SECONDS: seconds.max(7 * DAY_SECONDS).default(DAY_SECONDS),
    MICROSOFT_CALLS_PER_MINUTE: callsPerMinute.default(600),
    MICROSOFT_REPEAT_SECONDS: z.coerce.number().int().min(0).max(DAY_SECONDS).default(DAY_SECONDS),
  })
  .transform((values, context): Config | undefined => {
    const { MICROSOFT_TENANT_ID, MICROSOFT_CLIENT_ID, MICROSOFT_CLIENT_SECRET } = values
    const application = { MICROSOFT_TENANT_ID, MICROSOFT_CLIENT_ID, MICROSOFT_CLIENT_SECRET }
    const account = together(application, context)
    if (!account) return undefined
    const usual = `https://login.microsoftonline.com/${account.MICROSOFT_TENANT_ID}/oauth2/v2.0/token`
    return {
      url: withoutSlash(values.MICROSOFT_URL),
      tokenUrl: values.MICROSOFT_TOKEN_URL ?? usual,
      clientId: account.MICROSOFT_CLIENT_ID,
      clientSecret: account.MICROSOFT_CLIENT_SECRET,
      settleMs: values.MICROSOFT_SETTLE_SECONDS * 1000,
      callsPerMinute: values.MICROSOFT_CALLS_PER_MINUTE,
      // Microsoft calls a repeat with the same MS-RequestId idempotent, without documenting for how long.
      idempotentWrites: values.MICROSOFT_REPEAT_SECONDS * 1000 || undefined,
    }
  })
