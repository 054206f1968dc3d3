import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/** Numbers of tests that passed, failed and did not run. */
export type Counts = { passed: number; failed: number; skipped: number }

const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0 }

/** Duration of a file or a test. */
export type Timing = { name: string; milliseconds: number }

/** Durations of files and tests, unsorted. */
export type Timings = { files: Timing[]; tests: Timing[] }

const NO_TIMINGS: Timings = { files: [], tests: [] }

type Assertion = { status: string; fullName?: string; duration?: number; failureMessages?: string[] }

type VitestReport = {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: { name?: string; status: string; assertionResults: Assertion[] }[]
}

/**
 * Counts Vitest's JSON report; a file that did not load counts as one failed test. Without a report all counts are
 * zero.
 */
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

/**
 * Returns each failed test of Vitest's JSON report in two lines: its file with its name, and the first line of its
 * message.
 */
export function failuresOfVitest(path: string): string[] {
  if (!existsSync(path)) return []
  const report: VitestReport = JSON.parse(readFileSync(path, 'utf8'))
  return report.testResults.flatMap(({ name = 'a file', status, assertionResults }) => {
    const failed = assertionResults.filter((assertion) => assertion.status === 'failed')
    if (status === 'failed' && failed.length === 0) return [`${name} did not load`]
    return failed.map(({ fullName = '', failureMessages = [] }) => {
      return `${name}: ${fullName}\n    ${firstLines(failureMessages.join('\n'))}`
    })
  })
}

/**
 * Reads the times of Vitest's run. A file's time includes imports and hooks.
 * @param reportPath Vitest's JSON report; without it there are no times
 * @param fileTimesPath output of `file-times.ts`; without it no file has a time
 * @param root the folder that paths are named from
 */
export function timingsOfVitest(reportPath: string, fileTimesPath: string, root: string): Timings {
  if (!existsSync(reportPath)) return NO_TIMINGS
  const report: VitestReport = JSON.parse(readFileSync(reportPath, 'utf8'))
  const fileTimes: Record<string, number> = existsSync(fileTimesPath)
    ? JSON.parse(readFileSync(fileTimesPath, 'utf8'))
    : {}
  const tests = report.testResults.flatMap(({ name = '', assertionResults }) =>
    assertionResults.map(({ fullName, duration = 0 }) => ({
      name: `${relative(root, name)}: ${fullName}`,
      milliseconds: duration,
    })),
  )
  const files = Object.entries(fileTimes).map(([path, milliseconds]) => ({
    name: relative(root, path),
    milliseconds,
  }))
  return { files, tests }
}

type PlaywrightResult = { duration: number; errors?: { message?: string }[] }

type PlaywrightSuite = {
  title: string
  file: string
  specs: { title: string; ok?: boolean; tests: { results: PlaywrightResult[] }[] }[]
  suites?: PlaywrightSuite[]
}

type PlaywrightReport = {
  config: { rootDir: string }
  suites: PlaywrightSuite[]
  stats: { expected: number; unexpected: number; flaky: number; skipped: number }
  errors: { message?: string }[]
}

/**
 * Counts Playwright's JSON report; an error outside a test (setup, a file that did not load) and a test that passed on
 * a second try count as failed. Without a report all counts are zero.
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

/**
 * Formats each failed test of Playwright's JSON report, its file and name in a line and each of its errors in another (the
 * step that a timeout ended is the second), and each error outside a test in a line. Without a report the list is empty.
 */
export function failuresOfPlaywright(path: string): string[] {
  if (!existsSync(path)) return []
  const { suites, errors }: PlaywrightReport = JSON.parse(readFileSync(path, 'utf8'))
  const inSuite = ({ file, specs, suites: inner = [] }: PlaywrightSuite): string[] => [
    ...specs.flatMap(({ title, ok, tests }) => {
      const all = tests.flatMap(({ results }) => results.flatMap((result) => result.errors ?? []))
      const lines = all.map(({ message }) => `\n    ${firstLines(message)}`)
      return ok === false ? [`${file}: ${title}${lines.join('')}`] : []
    }),
    ...inner.flatMap(inSuite),
  ]
  return [
    ...errors.map(({ message }) => `outside a test: ${firstLines(message)}`),
    ...suites.flatMap(inSuite),
  ]
}

/** Returns the first three lines of an error message in one line of at most 1,000 characters, without colors. */
function firstLines(message = ''): string {
  return stripVTControlCharacters(message).split('\n').slice(0, 3).join(' ').slice(0, 1000)
}

/**
 * Reads the times of Playwright's JSON report. A file's time is the sum of its tests' times; without a report there are
 * no times.
 * @param root the folder that paths are named from
 */
export function timingsOfPlaywright(path: string, root: string): Timings {
  if (!existsSync(path)) return NO_TIMINGS
  const { config, suites }: PlaywrightReport = JSON.parse(readFileSync(path, 'utf8'))
  const byFile = suites.map((suite) => {
    const file = relative(root, join(config.rootDir, suite.file))
    const tests = testsIn(suite).map(({ name, milliseconds }) => ({ name: `${file}: ${name}`, milliseconds }))
    return { name: file, tests, milliseconds: tests.reduce((sum, test) => sum + test.milliseconds, 0) }
  })
  return {
    files: byFile.map(({ name, milliseconds }) => ({ name, milliseconds })),
    tests: byFile.flatMap(({ tests }) => tests),
  }
}

/** Returns the tests of a suite and its nested suites; a file is a suite, too, whose title is not part of the names. */
function testsIn({ specs, suites = [] }: PlaywrightSuite): Timing[] {
  return [
    ...specs.flatMap(({ title, tests }) =>
      tests.map(({ results }) => ({
        name: title,
        milliseconds: results.reduce((sum, { duration }) => sum + duration, 0),
      })),
    ),
    ...suites.flatMap((inner) =>
      testsIn(inner).map(({ name, milliseconds }) => ({ name: `${inner.title} ${name}`, milliseconds })),
    ),
  ]
}

/** Formats the slowest of `timings`, the slowest first: a line each, its seconds aligned. */
export function longestTimings(timings: readonly Timing[], count: number): string[] {
  return timings
    .toSorted((a, b) => b.milliseconds - a.milliseconds)
    .slice(0, count)
    .map(({ name, milliseconds }) => `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${name}`)
}
