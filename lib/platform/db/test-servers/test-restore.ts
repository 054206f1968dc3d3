import { afterAll, vi } from 'vitest'

/**
 * Setup file for test workers that keep their modules between test files: after each file, restores the environment,
 * globals, clock and spies.
 */
const before = { ...process.env }

afterAll(async () => {
  // Without its module, which costs a file without a database too much (`reusableDatabase`).
  await (globalThis as { closeReusableDatabase?: () => Promise<void> }).closeReusableDatabase?.()
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
})
