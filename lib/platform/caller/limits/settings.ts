import 'server-only'
import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'

const limit = z.coerce.number().int().min(1).max(1_000_000)

/** Requests, changes and exports that are allowed per minute. */
export type LimitConfig = {
  /** Requests per key or session. */
  requests: number
  /** License changes among them. */
  changes: number
  /** Exports among them. */
  exports: number
  /** Multiple of the limits for all keys and sessions of a customer together. */
  together: number
  /** Unauthenticated requests per address and process. */
  strangers: number
  /** Sign-in attempts per address and process. */
  signIns: number
  /** Open connections per address and process. */
  connections: number
}

export const limitSettings = defineSettings(
  z
    .object({
      RATE_LIMIT_REQUESTS: limit.default(1000),
      RATE_LIMIT_CHANGES: limit.default(60),
      RATE_LIMIT_EXPORTS: limit.default(30),
      RATE_LIMIT_TOGETHER: limit.max(1000).default(5),
      RATE_LIMIT_STRANGERS: limit.default(300),
      RATE_LIMIT_SIGN_INS: limit.default(120),
      CONNECTIONS_PER_ADDRESS: limit.default(1000),
    })
    .transform(
      (values): LimitConfig => ({
        requests: values.RATE_LIMIT_REQUESTS,
        changes: values.RATE_LIMIT_CHANGES,
        exports: values.RATE_LIMIT_EXPORTS,
        together: values.RATE_LIMIT_TOGETHER,
        strangers: values.RATE_LIMIT_STRANGERS,
        signIns: values.RATE_LIMIT_SIGN_INS,
        connections: values.CONNECTIONS_PER_ADDRESS,
      }),
    ),
)
