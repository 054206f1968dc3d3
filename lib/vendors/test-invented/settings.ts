import 'server-only'
import { z } from 'zod'
import {
  callsPerMinute,
  hasNoPath,
  privateAddress,
  seconds,
  text,
  together,
  withoutSlash,
} from '#lib/platform/runtime/settings.ts'

export type Config = {
  key: string
  url: string
  settleMs: number
  idempotentWrites: number
  callsPerMinute: number
}

/** Undefined if Paperclip is not configured. */
export const settings = z
  .object({
    PAPERCLIP_KEY: text.optional(),
    PAPERCLIP_URL: privateAddress.refine(hasNoPath, 'must have no path').optional(),
    PAPERCLIP_SETTLE_SECONDS: seconds.default(60),
    PAPERCLIP_CALLS_PER_MINUTE: callsPerMinute.default(300),
  })
  .transform(({ PAPERCLIP_KEY, PAPERCLIP_URL, ...rest }, context): Config | undefined => {
    const account = together({ PAPERCLIP_KEY, PAPERCLIP_URL }, context)
    return (
      account && {
        key: account.PAPERCLIP_KEY,
        url: withoutSlash(account.PAPERCLIP_URL),
        settleMs: rest.PAPERCLIP_SETTLE_SECONDS * 1000,
        callsPerMinute: rest.PAPERCLIP_CALLS_PER_MINUTE,
        // One hour, by Paperclip's documentation.
        idempotentWrites: 3_600_000,
      }
    )
  })
