import 'server-only'
import { billingWork } from '#lib/billing/jobs.ts'
import { identityWork } from '#lib/identity/jobs.ts'
import { licensesWork } from '#lib/licenses/jobs.ts'
import { notificationsWork } from '#lib/notifications/jobs.ts'
import type { BackgroundWork } from '#lib/platform/db/background.ts'

/** Background work of all domains: their jobs, the rows that they remove, and their backfills. */
export const DOMAIN_WORK: readonly BackgroundWork[] = [
  identityWork,
  licensesWork,
  billingWork,
  notificationsWork,
]
