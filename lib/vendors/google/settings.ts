import 'server-only'
import { resolve } from 'node:path'
import { z } from 'zod'
import {
  callsPerMinute,
  DAY_SECONDS,
  hasNoPath,
  privateAddress,
  seconds,
  text,
  together,
  withoutSlash,
} from '#lib/platform/runtime/settings.ts'

export type Credentials = {
  /** Path of the service account's key as downloaded from Google: JSON. */
  keyFile: string
  /** Administrator of the reseller's domain whom the service account impersonates. */
  admin: string
  tokenUrl: string
}

export type Config = Credentials & {
  /** Base URL of the API, without a path. */
  url: string
  settleMs: number
  callsPerMinute: number
}

/** Undefined if Google Workspace is not configured. */
export const settings = z
  .object({
    GOOGLE_KEY_FILE: text.optional(),
    GOOGLE_ADMIN: z.email().optional(),
    GOOGLE_URL: privateAddress
      .refine(hasNoPath, 'must have no path')
      .default('https://reseller.googleapis.com'),
    GOOGLE_TOKEN_URL: privateAddress.default('https://oauth2.googleapis.com/token'),
    GOOGLE_SETTLE_SECONDS: seconds.max(DAY_SECONDS).default(120),
    GOOGLE_CALLS_PER_MINUTE: callsPerMinute.default(300),
  })
  .transform(({ GOOGLE_KEY_FILE, GOOGLE_ADMIN, ...rest }, context): Config | undefined => {
    const account = together({ GOOGLE_KEY_FILE, GOOGLE_ADMIN }, context)
    return (
      account && {
        url: withoutSlash(rest.GOOGLE_URL),
        tokenUrl: rest.GOOGLE_TOKEN_URL,
        keyFile: resolve(account.GOOGLE_KEY_FILE),
        admin: account.GOOGLE_ADMIN,
        settleMs: rest.GOOGLE_SETTLE_SECONDS * 1000,
        callsPerMinute: rest.GOOGLE_CALLS_PER_MINUTE,
      }
    )
  })
