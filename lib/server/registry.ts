import { paymentSettings } from '#lib/billing/payments/settings.ts'
import { factorSettings, keySettings, signOnSettings } from '#lib/identity/settings.ts'
import { operatorSettings } from '#lib/notifications/operator-mail/settings.ts'
import { webhookSettings } from '#lib/notifications/webhooks/settings.ts'
import { apiSettings } from '#lib/platform/api/openapi/settings.ts'
import { cacheSettings } from '#lib/platform/api/settings.ts'
import { limitSettings } from '#lib/platform/caller/limits/settings.ts'
import { databaseSettings } from '#lib/platform/db/settings.ts'
import { historySettings } from '#lib/platform/history/settings.ts'
import { mailSettings, resellerSettings } from '#lib/platform/mail/settings.ts'
import { assertNoIssues, env, type Settings } from '#lib/platform/runtime/env.ts'
import { accountsSettings, extendedTermSettings, vendorSettings, vendorTimes } from '#lib/vendors/settings.ts'
import { healthSettings } from './health/settings.ts'
import { metricsSettings } from './metrics/settings.ts'
import { exposureSettings } from './settings.ts'
import { traceSettings } from './traces/settings.ts'
import { processSettings } from './workers/settings.ts'

/** Settings of each module, in the order in which their errors are listed. */
const ALL: readonly Settings<unknown>[] = [
  env,
  databaseSettings,
  processSettings,
  exposureSettings,
  healthSettings,
  metricsSettings,
  traceSettings,
  factorSettings,
  limitSettings,
  signOnSettings,
  historySettings,
  keySettings,
  vendorTimes,
  extendedTermSettings,
  accountsSettings,
  mailSettings,
  resellerSettings,
  paymentSettings,
  operatorSettings,
  webhookSettings,
  apiSettings,
  cacheSettings,
  vendorSettings,
]

/**
 * Checks the settings of all modules; called at the start of each program.
 * @throws Error that names each wrong setting
 */
export function checkSettings(): void {
  assertNoIssues(ALL.flatMap((settings) => settings.issues()))
}
