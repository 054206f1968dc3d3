import { expect, test } from 'vitest'
import { isTest, projectFiles, read } from './scan.ts'

// A test waits for a state: a fixed time is too short on a busy machine and wasted on any other. A test of time itself
// has a comment that begins with `Fixed wait:` right before the call, with the reason. The fakes in test/fakes may be
// slow on purpose.

/** Maximum number of explained waits in the project; a new one replaces a removed one. */
const MAX_EXPLAINED = 16
const THIS_FILE = 'test/architecture/waits.test.ts'
const TEST_FOLDERS = [/^e2e\//, /^test\/fuzz\//]

const files = projectFiles().filter(
  (file) =>
    /\.tsx?$/.test(file) &&
    file !== THIS_FILE &&
    (isTest(file) || TEST_FOLDERS.some((folder) => folder.test(file))),
)
const waits = files.flatMap((file) => waitsIn(read(file)).map((wait) => ({ ...wait, file })))

test('tests do not wait for a fixed time', () => {
  const unexplained = waits.filter(({ isExplained }) => !isExplained)
  expect(unexplained.map(({ file, line }) => `${file}:${line}`)).toEqual([])
  expect(waits.length).toBeLessThanOrEqual(MAX_EXPLAINED)
})

test('tests of all kinds are checked', () => {
  const kinds = [/\.test\.ts$/, /\.spec\.ts$/, /\/test-[^/]+\.ts$/, ...TEST_FOLDERS]
  for (const kind of kinds)
    expect([kind, files.filter((file) => kind.test(file)).length]).not.toEqual([kind, 0])
})

const IMPORTED = "import { setTimeout as pause } from 'node:timers/promises'\n"
test.each([
  ['await page.waitForTimeout(500)', [1]],
  ['await new Promise((resolve) => setTimeout(resolve, 100))', [1]],
  ['await new Promise((wake) => {\n  setTimeout(wake, ms)\n})', [2]],
  ['setTimeout(\n  done.resolve,\n  5,\n)', [1]],
  ['await new Promise<void>((resolve) => setTimeout(() => resolve(), 100))', [1]],
  [`${IMPORTED}const later = () => pause(4700)`, [2]],
  ["import { setTimeout } from 'node:timers/promises'\nawait setTimeout(50)", [2]],
  ['// Fixed wait: a lease ends.\nawait page.waitForTimeout(500)', [2]],
  ['// It waits.\nawait new Promise((resolve) => setTimeout(resolve, 100))', [1 + 1]],
  ['// Fixed wait:\nawait new Promise((resolve) => setTimeout(resolve, 100))', [2]],
])('a fixed wait in %j is found', (text, lines) => {
  expect(waitsIn(text).flatMap(({ isExplained, line }) => (isExplained ? [] : [line]))).toEqual(lines)
})

test.each([
  ['const timer = setTimeout(() => app.kill(), 60_000)'],
  ['await expect.poll(() => count, { timeout: 60_000 }).toBe(1)'],
  ["import { setImmediate as turn } from 'node:timers/promises'\nawait turn()"],
  ['await standby.pause()'],
  ["spawn('node', ['-e', 'setTimeout(() => {}, 30_000)'])"],
  [`${IMPORTED}// Fixed wait: a lease ends, which\n// no test can see.\nawait pause(2500)`],
])('%j is not an unexplained wait', (text) => {
  expect(waitsIn(text).filter(({ isExplained }) => !isExplained)).toEqual([])
})

/** Returns the fixed waits of a text, each with its line and whether a comment right before it explains it. */
function waitsIn(text: string): { line: number; isExplained: boolean }[] {
  const [, imported] = /import \{ ([^}]*\bsetTimeout\b[^}]*) \} from 'node:timers\/promises'/.exec(text) ?? []
  const [, alias = 'setTimeout'] = /\bsetTimeout as (\w+)/.exec(imported ?? '') ?? []
  const patterns = [
    /\.waitForTimeout\(/g,
    // Matches calls of the function that resolves a promise, by its name or in a function that does nothing else.
    /\bsetTimeout\(\s*[\w.]+\s*,/g,
    /\bsetTimeout\(\s*\(\) => \w+\(\),/g,
    ...(imported ? [new RegExp(`(?<![.\\w])${alias}\\(`, 'g')] : []),
  ]
  const positions = new Set(
    patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(({ index }) => index)),
  )
  return [...positions]
    .sort((a, b) => a - b)
    .map((index) => ({
      line: text.slice(0, index).split('\n').length,
      isExplained: !text.startsWith('.waitForTimeout', index) && isExplained(text.slice(0, index)),
    }))
}

/** Returns whether the comment before the line on which a text ends gives a reason. */
function isExplained(before: string): boolean {
  const lines = before.split('\n').slice(0, -1)
  const start = lines.findLastIndex((line) => !/^\s*\/\//.test(line)) + 1
  return lines.slice(start).some((line) => /^\s*\/\/ Fixed wait: \S/.test(line))
}
