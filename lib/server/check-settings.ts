import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
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
import { exposureSettings, memorySettings } from './settings.ts'
import { traceSettings } from './traces/settings.ts'
import { processSettings } from './workers/settings.ts'

/** Settings of each module, in the order in which their errors are listed. */
const ALL: readonly Settings<unknown>[] = [
  env,
  databaseSettings,
  processSettings,
  exposureSettings,
  memorySettings,
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
  const misspelt = ENV_FILES.filter(existsSync).flatMap((file) => misspeltIn(readFileSync(file, 'utf8')))
  assertNoIssues([...misspelt, ...ALL.flatMap((settings) => settings.issues())])
}

/** Files with settings that Node has read for this process. */
const ENV_FILES = process.execArgv.flatMap((option) => option.split('--env-file=').slice(1))
/** Settings of Node and of libraries. */
const OF_OTHERS =
  /^(OTEL|PG|NPM|NODE|NEXT|UV|DOCKER|COMPOSE)_|^(TZ|PATH|HOME|LANG|USER|HTTPS?_PROXY|NO_PROXY)$/

/** Names each setting in the text of a `.env` file that no module reads but that resembles one which is read. */
export function misspeltIn(text: string): string[] {
  const names = [...new Set(ALL.flatMap((settings) => settings.names()))]
  return Object.keys(parseEnv(text)).flatMap((name) => {
    if (names.includes(name) || OF_OTHERS.test(name)) return []
    const distances = names.map((other) => ({ other, distance: distanceOf(name.toUpperCase(), other) }))
    const { other, distance } = distances.reduce((best, each) =>
      each.distance < best.distance ? each : best,
    )
    return distance <= Math.max(1, Math.floor(other.length / 4))
      ? [`${name}: is not a setting; is ${other} meant?`]
      : []
  })
}

/** Returns how many letters must be added, removed, replaced or swapped to get from one name to another. */
function distanceOf(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [row, letter] of [...from].entries()) {
    const next = [row + 1]
    for (const [at, other] of [...to].entries()) {
      const isSwapped = letter === to[at - 1] && from[row - 1] === other
      next.push(
        Math.min(
          (last[at] ?? 0) + (letter === other ? 0 : 1),
          (last[at + 1] ?? 0) + 1,
          (next[at] ?? 0) + 1,
          isSwapped ? (beforeLast[at - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    beforeLast = last
    last = next
  }
  return last[to.length] ?? 0
}
