import { afterAll, vi } from 'vitest'

/**
 * Setup file of the tests whose workers keep their modules from one test file to the next: after each file, the
 * environment, globals, clock and spies are again as they were before the file.
 */
const before = { ...process.env }

afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
})
