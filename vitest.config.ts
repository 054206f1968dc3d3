import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { NO_LIMITS } from './stand-ins/no-limits.ts'
import { NO_NETWORK } from './stand-ins/no-network.ts'

export default defineConfig({
  resolve: {
    // The package throws on import outside a server bundle; the tests are the server here.
    alias: {
      'server-only': fileURLToPath(new URL('./node_modules/server-only/empty.js', import.meta.url)),
    },
  },
  test: {
    environment: 'node',
    // Vite names its own BASE_URL; ours is the console's address.
    env: {
      BASE_URL: '',
      LOG_LEVEL: 'silent',
      SESSION_SECRET: 'only-for-tests-only-for-tests-only',
      ...NO_NETWORK,
      ...NO_LIMITS,
    },
    include: ['{architecture,bench,components,fuzz,lib,scripts,stand-ins}/**/*.test.ts'],
    globalSetup: 'lib/db/test-setup.ts',
    // To end what hangs: tests seed real databases, and a busy machine is not a failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // `expect.poll` waits for a state as long as that.
    expect: { poll: { timeout: 60_000 } },
    // One more than processors: some wait for the time of a vendor's answer.
    maxWorkers: 1 + availableParallelism(),
  },
})
