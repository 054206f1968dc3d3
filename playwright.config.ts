import { availableParallelism } from 'node:os'
import { defineConfig } from '@playwright/test'
import { chromium } from './e2e/chromium.ts'

const browser = await chromium()
const screens = {
  browserName: 'chromium' as const,
  viewport: { width: 1360, height: 900 },
  // Pages of tests are left before optimized code pays off: without it, a load takes a fourteenth less, and axe a sixth.
  launchOptions: { ...browser, args: [...browser.args, '--js-flags=--no-opt --no-maglev'] },
}
export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/server.ts',
  // Three workers more than processors: each worker spends most of its time waiting for its page, its server or a vendor.
  workers: 3 + availableParallelism(),
  // Tests that only `npm run test:deep` runs.
  grepInvert: process.env.DEEP === '1' ? undefined : /@deep/,
  retries: 0,
  forbidOnly: true,
  // Generous timeout that only ends hanging tests: a busy machine is not a failure.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: [['list']],
  use: {
    // Set by the global setup, before the workers read this file.
    baseURL: process.env.E2E_BASE_URL,
    trace: 'off',
    screenshot: 'only-on-failure',
    actionTimeout: 60_000,
    // Animations cost a tenth of a page load.
    contextOptions: { reducedMotion: 'reduce' },
  },
  projects: [
    // A worker that changes to the other project restarts, so one worker runs these.
    { name: 'api', testMatch: 'api/**/*.spec.ts', workers: process.env.DEEP === '1' ? undefined : 1 },
    // Files run in the order of their paths. Those of `ahead` load many screens or wait for a vendor, or are long ones from the
    // end of the alphabet: they start first, so that none is the last to end.
    { name: 'console', testMatch: '{ahead,console}/**/*.spec.ts', use: screens },
  ],
})
