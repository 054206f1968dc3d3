import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
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
    },
    include: ['{architecture,components,fuzz,lib,scripts,stand-ins}/**/*.test.ts'],
    globalSetup: 'lib/db/test-server.ts',
    // Tests seed real databases; a slow machine is not a failure.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
