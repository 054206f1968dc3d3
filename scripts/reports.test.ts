import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { TestModule } from 'vitest/node'
import FileTimes from './file-times.ts'
import {
  countPlaywright,
  countVitest,
  failuresOfPlaywright,
  failuresOfVitest,
  longestTimings,
  timingsOfPlaywright,
  timingsOfVitest,
} from './reports.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-counts-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function saved(report: unknown, name = 'report.json'): string {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(report))
  return path
}

describe('countVitest', () => {
  const counts = { numPassedTests: 5, numFailedTests: 2, numPendingTests: 1, numTodoTests: 1 }
  const failed = { status: 'failed', assertionResults: [{ status: 'passed' }, { status: 'failed' }] }

  test('counts a failed test once and adds the tests that did not run', () => {
    expect(countVitest(saved({ ...counts, testResults: [failed] }))).toEqual({
      passed: 5,
      failed: 2,
      skipped: 2,
    })
  })
  test('counts a file that did not load', () => {
    const unloaded = { status: 'failed', assertionResults: [] }
    expect(countVitest(saved({ ...counts, testResults: [failed, unloaded] })).failed).toBe(3)
  })
  test('counts nothing without a report', () => {
    expect(countVitest(join(folder, 'none.json'))).toEqual({ passed: 0, failed: 0, skipped: 0 })
  })
})

test('countPlaywright counts flaky tests and errors outside a test as failed', () => {
  const report = {
    stats: { expected: 4, unexpected: 1, flaky: 1, skipped: 3 },
    errors: [{ message: 'setup' }],
  }
  expect(countPlaywright(saved(report))).toEqual({ passed: 4, failed: 3, skipped: 3 })
})

test('failuresOfVitest names each failed test, with the first line of its message', () => {
  const assertionResults = [
    { status: 'passed', fullName: 'adds' },
    { status: 'failed', fullName: 'adds up', failureMessages: ['expected 1 to be 2\n    at a.ts'] },
  ]
  const testResults = [
    { name: 'a.test.ts', status: 'failed', assertionResults },
    { name: 'b.test.ts', status: 'failed', assertionResults: [] },
  ]
  expect(failuresOfVitest(saved({ testResults }))).toEqual([
    'a.test.ts: adds up\n    expected 1 to be 2     at a.ts',
    'b.test.ts did not load',
  ])
  expect(failuresOfVitest(join(folder, 'none.json'))).toEqual([])
})

test('failuresOfPlaywright names each failed test with its errors, and each error outside a test', () => {
  const failed = {
    title: 'opens',
    ok: false,
    tests: [{ results: [{ errors: [{ message: '\u001b[31mlate\u001b[39m' }, { message: 'goto' }] }] }],
  }
  const passed = { title: 'closes', ok: true, tests: [{ results: [{ errors: [] }] }] }
  const suites = [
    {
      title: 'a',
      file: 'a.spec.ts',
      specs: [passed],
      suites: [{ title: 'b', file: 'a.spec.ts', specs: [failed] }],
    },
  ]
  expect(failuresOfPlaywright(saved({ suites, errors: [{ message: 'no server\nat b' }] }))).toEqual([
    'outside a test: no server at b',
    'a.spec.ts: opens\n    late\n    goto',
  ])
  expect(failuresOfPlaywright(join(folder, 'none.json'))).toEqual([])
})

describe('timingsOfVitest', () => {
  const assertionResults = [
    { status: 'passed', fullName: 'adds', duration: 20 },
    { status: 'skipped', fullName: 'is skipped' },
  ]
  const report = { testResults: [{ name: '/project/lib/a.test.ts', status: 'passed', assertionResults }] }
  const tests = [
    { name: 'lib/a.test.ts: adds', milliseconds: 20 },
    { name: 'lib/a.test.ts: is skipped', milliseconds: 0 },
  ]

  test('takes the time of a file from the file times, which include imports and hooks', () => {
    const fileTimes = saved({ '/project/lib/a.test.ts': 900 }, 'files.json')
    expect(timingsOfVitest(saved(report), fileTimes, '/project')).toEqual({
      files: [{ name: 'lib/a.test.ts', milliseconds: 900 }],
      tests,
    })
  })
  test('returns the times that it has if a report is missing', () => {
    const none = join(folder, 'none.json')
    expect(timingsOfVitest(saved(report), none, '/project')).toEqual({ files: [], tests })
    expect(timingsOfVitest(none, none, '/project')).toEqual({ files: [], tests: [] })
  })
})

describe('timingsOfPlaywright', () => {
  const spec = (title: string, ...durations: number[]) => ({
    title,
    tests: [{ results: durations.map((duration) => ({ duration })) }],
  })
  const suites = [
    {
      title: 'api/a.spec.ts',
      file: 'api/a.spec.ts',
      specs: [spec('answers', 30)],
      suites: [{ title: 'a key', file: 'api/a.spec.ts', specs: [spec('is refused', 5, 7), spec('waits')] }],
    },
  ]

  test('adds up all tries of a test, and all tests of a file', () => {
    const path = saved({ config: { rootDir: '/project/e2e' }, suites })
    expect(timingsOfPlaywright(path, '/project')).toEqual({
      files: [{ name: 'e2e/api/a.spec.ts', milliseconds: 42 }],
      tests: [
        { name: 'e2e/api/a.spec.ts: answers', milliseconds: 30 },
        { name: 'e2e/api/a.spec.ts: a key is refused', milliseconds: 12 },
        { name: 'e2e/api/a.spec.ts: a key waits', milliseconds: 0 },
      ],
    })
  })
  test('returns no times without a report', () => {
    expect(timingsOfPlaywright(join(folder, 'none.json'), '/project')).toEqual({ files: [], tests: [] })
  })
})

test('slowest lists so many timings, the slowest first, with their seconds aligned', () => {
  const timings = [
    { name: 'quick', milliseconds: 40 },
    { name: 'slow', milliseconds: 123_456 },
    { name: 'middling', milliseconds: 9_000 },
  ]
  expect(longestTimings(timings, 2)).toEqual(['  123.5 s  slow', '    9.0 s  middling'])
})

describe('the reporter of file times', () => {
  afterEach(() => vi.unstubAllEnvs())
  const diagnostic = {
    ...{ environmentSetupDuration: 1, prepareDuration: 20, setupDuration: 300, collectDuration: 4000 },
    duration: 50_000,
  }
  const modules = [
    { moduleId: '/project/a.test.ts', diagnostic: () => diagnostic },
  ] as unknown as TestModule[]

  test('includes imports and hooks in the time of a file', () => {
    const path = join(folder, 'files.json')
    vi.stubEnv('FILE_TIMES', path)
    new FileTimes().onTestRunEnd(modules)
    expect(timingsOfVitest(saved({ testResults: [] }), path, '/project').files).toEqual([
      { name: 'a.test.ts', milliseconds: 54_321 },
    ])
  })
  test('throws if no file is named', () => {
    vi.stubEnv('FILE_TIMES', '')
    expect(() => new FileTimes().onTestRunEnd(modules)).toThrow('FILE_TIMES')
  })
})
