import { z } from 'zod'

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
}

export const settings = z
  .object({
    RATE_LIMIT_REQUESTS: limit.default(1000),
    RATE_LIMIT_CHANGES: limit.default(60),
    RATE_LIMIT_EXPORTS: limit.default(30),
    RATE_LIMIT_TOGETHER: limit.max(1000).default(5),
  })
  .transform(
    (given): LimitConfig => ({
      requests: given.RATE_LIMIT_REQUESTS,
      changes: given.RATE_LIMIT_CHANGES,
      exports: given.RATE_LIMIT_EXPORTS,
      together: given.RATE_LIMIT_TOGETHER,
    }),
  )
