import { existsSync, readFileSync } from 'node:fs'

/** How many tests passed, failed and did not run. */
export type Counts = { passed: number; failed: number; skipped: number }

const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0 }

type VitestReport = {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: { status: string; assertionResults: { status: string }[] }[]
}

/** Counts vitest's JSON report; a file that did not load counts as one failed test. No report counts nothing. */
export function countVitest(path: string): Counts {
  if (!existsSync(path)) return NOTHING
  const report: VitestReport = JSON.parse(readFileSync(path, 'utf8'))
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((assertion) => assertion.status === 'failed'),
  )
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded.length,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}

type PlaywrightReport = {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number }
  errors: unknown[]
}

/**
 * Counts Playwright's JSON report; an error outside a test (setup, a file that did not load) and a test that
 * passed on a second try count as failed. No report counts nothing.
 */
export function countPlaywright(path: string): Counts {
  if (!existsSync(path)) return NOTHING
  const { stats, errors }: PlaywrightReport = JSON.parse(readFileSync(path, 'utf8'))
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + errors.length,
    skipped: stats.skipped,
  }
}
