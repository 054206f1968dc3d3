import { existsSync, readFileSync } from 'node:fs'

/** How many tests passed, failed and did not run. */
export type Counts = { passed: number; failed: number; skipped: number }

const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0 }

type Assertion = { status: string; fullName?: string; failureMessages?: string[] }

type VitestReport = {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: { name?: string; status: string; assertionResults: Assertion[] }[]
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

/** Each failed test of vitest's JSON report in two lines: its file with its name, and what it says first. */
export function failuresOfVitest(path: string): string[] {
  if (!existsSync(path)) return []
  const report: VitestReport = JSON.parse(readFileSync(path, 'utf8'))
  return report.testResults.flatMap(({ name = 'a file', status, assertionResults }) => {
    const failed = assertionResults.filter((assertion) => assertion.status === 'failed')
    if (status === 'failed' && failed.length === 0) return [`${name} did not load`]
    return failed.map(({ fullName = '', failureMessages = [] }) => {
      const said = failureMessages.join('\n').split('\n').slice(0, 3).join(' ')
      return `${name}: ${fullName}\n    ${said.slice(0, 1000)}`
    })
  })
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
