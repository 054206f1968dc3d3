import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { countPlaywright, countVitest, failuresOfVitest } from './reports.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-counts-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function saved(report: unknown): string {
  const path = join(folder, 'report.json')
  writeFileSync(path, JSON.stringify(report))
  return path
}

describe('countVitest', () => {
  const counts = { numPassedTests: 5, numFailedTests: 2, numPendingTests: 1, numTodoTests: 1 }
  const failed = { status: 'failed', assertionResults: [{ status: 'passed' }, { status: 'failed' }] }

  test('takes failed tests once and adds what did not run', () => {
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

test('failuresOfVitest names each failed test, with what it says first', () => {
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
