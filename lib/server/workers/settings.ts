import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'

/** The embedded database has 200 connections; each process opens 31 at most, and the operator's commands need some. */
const MAX_ON_EMBEDDED = 6

export type ProcessConfig = {
  /** How many processes answer on the one port: 1 to 64. */
  count: number
  /** How long a process that was asked to leave goes on answering, in milliseconds, while `/healthz` says so. */
  noticeMs: number
}

export const processSettings = defineSettings(
  z
    .object({
      WEB_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(1),
      DRAIN_SECONDS: z.coerce.number().int().min(0).max(600).default(5),
      /** Whether it is an address is found out by connecting. */
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
