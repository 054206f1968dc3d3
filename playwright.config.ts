import { availableParallelism } from 'node:os'
import { defineConfig } from '@playwright/test'
import { chromium } from './e2e/chromium.ts'

const screens = {
  browserName: 'chromium',
  viewport: { width: 1360, height: 900 },
  launchOptions: await chromium(),
} as const
/** It waits for a vendor for most of its time: it begins first, so that nobody waits for it in the end. */
const LONGEST = 'console/vendor-changes.spec.ts'

export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/server.ts',
  // One more than processors: each waits for its page, its server or a vendor for most of its time.
  workers: 1 + availableParallelism(),
  // What `npm run test:deep` runs, and nobody waits for otherwise.
  grepInvert: process.env.DEEP === '1' ? undefined : /@deep/,
  retries: 0,
  forbidOnly: true,
  // To end what hangs: a busy machine is not a failure.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: [['list']],
  use: {
    // Set by the global setup, before the workers read this file.
    baseURL: process.env.E2E_BASE_URL,
    trace: 'off',
    screenshot: 'only-on-failure',
    actionTimeout: 60_000,
  },
  projects: [
    { name: 'vendors', testMatch: LONGEST, use: screens },
    { name: 'api', testMatch: 'api/**/*.spec.ts' },
    { name: 'console', testMatch: 'console/**/*.spec.ts', testIgnore: LONGEST, use: screens },
  ],
})
