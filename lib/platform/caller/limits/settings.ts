import 'server-only'
import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'

const limit = z.coerce.number().int().min(1).max(1_000_000)

/** What may be asked for in a minute. */
export type LimitConfig = {
  /** Requests of a key or session. */
  requests: number
  /** Quantity changes among them. */
  changes: number
  /** Exports among them. */
  exports: number
  /** How many times as much all keys and sessions of a customer have together. */
  together: number
  /** Requests that one address may make without being known, by each process. */
  strangers: number
  /** Attempts to sign in that one address may make, by each process. */
  signIns: number
  /** Connections that one address may have open, with each process. */
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
