import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'

/**
 * Most processes on the embedded database: it has 250 connections, each process opens at most 35, and the operator's
 * commands need some.
 */
const MAX_ON_EMBEDDED = 6

export type ProcessConfig = {
  /** Number of processes that share the port: 1 to 64. */
  count: number
  /**
   * How long a process continues to answer after it was asked to stop, in milliseconds, while `/healthz` reports it.
   */
  noticeMs: number
}

export const processSettings = defineSettings(
  z
    .object({
      WEB_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(1),
      DRAIN_SECONDS: z.coerce.number().int().min(0).max(600).default(5),
      /** Connecting shows whether the address is valid. */
      DATABASE_URL: z.string().optional(),
    })
    .transform(({ WEB_CONCURRENCY: count, DRAIN_SECONDS, DATABASE_URL }, context): ProcessConfig => {
      if (DATABASE_URL === undefined && count > MAX_ON_EMBEDDED) {
        const message = `the embedded database has connections for ${MAX_ON_EMBEDDED}; more need a DATABASE_URL`
        context.addIssue({ code: 'custom', path: ['WEB_CONCURRENCY'], message })
      }
      return { count, noticeMs: DRAIN_SECONDS * 1000 }
    }),
)
