import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { env } from '#lib/platform/runtime/env.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Whether `next build` has come to its end here. */
export function isBuilt(): boolean {
  return existsSync(join(ROOT, '.next', 'BUILD_ID'))
}

/** Next, ready to answer. */
export async function prepareNext() {
  // Only now: React decides at its import whether it is in production.
  const { default: next } = await import('next')
  const { host, port } = env()
  const app = next({ dev: false, dir: ROOT, hostname: host, port })
  await app.prepare()
  return app
}

/**
 * Next's own reading of the header Next-Router-State-Tree, which throws at what no page has sent: a reading of ours
 * would refuse what a later version sends. The one internal of Next that we use; next.test.ts holds it.
 */
export async function routerStateCheck() {
  const { parseAndValidateFlightRouterState } = await import(
    'next/dist/server/app-render/parse-and-validate-flight-router-state.js'
  )
  return parseAndValidateFlightRouterState
}
