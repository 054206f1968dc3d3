import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Counts, countPlaywright, countVitest, failuresOfVitest } from './reports.ts'
import { runStage, type Stage } from './stage.ts'

// The whole suite: every step's own output, then the times, and last one line with the numbers.
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const reports = mkdtempSync(join(tmpdir(), 'licenses-invoices-reports-'))
const unitReport = join(reports, 'vitest.json')
const e2eReport = join(reports, 'playwright.json')

type Step = {
  name: string
  /** A program of a package in node_modules, or a script, with its arguments. */
  run: string[]
  /** After so many it hangs: a busy machine takes a third of that. */
  minutes: number
  /** Without one, the step is one check. */
  count?: () => Counts
  /** The step that must have passed before. */
  needs?: string
}

const STEPS: Step[] = [
  { name: 'lock file', run: ['scripts/complete-lockfile.mjs'], minutes: 10 },
  {
    name: 'format and lint',
    run: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
    minutes: 10,
  },
  { name: 'dead code', run: ['node_modules/knip/bin/knip.js'], minutes: 10 },
  { name: 'route types', run: ['node_modules/next/dist/bin/next', 'typegen'], minutes: 10 },
  { name: 'types', run: ['node_modules/typescript/bin/tsc', '--noEmit'], minutes: 10 },
  {
    name: 'unit and operation tests',
    run: [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${unitReport}`,
    ],
    minutes: 40,
    count: () => countVitest(unitReport),
  },
  { name: 'build', run: ['scripts/build.ts'], minutes: 20 },
  { name: 'browser', run: ['e2e/chromium.ts'], minutes: 10 },
  {
    name: 'API and screens',
    run: ['node_modules/@playwright/test/cli.js', 'test', '--reporter=list,json'],
    minutes: 60,
    count: () => countPlaywright(e2eReport),
    needs: 'build',
  },
]

let stage: Stage | undefined
let stopped: NodeJS.Signals | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    stopped = signal
    stage?.end()
  })
}

const results: { name: string; seconds: number; counts: Counts; failed: boolean }[] = []
for (const step of STEPS) {
  if (stopped) break
  const start = Date.now()
  const counts = await perform(step)
  results.push({ name: step.name, seconds: (Date.now() - start) / 1000, counts, failed: counts.failed > 0 })
}
// Browser tests that failed are told last by their own runner; those of vitest are far above by now.
const failures = failuresOfVitest(unitReport)
rmSync(reports, { recursive: true, force: true })
report()

async function perform(step: Step): Promise<Counts> {
  console.log(`\n── ${step.name}`)
  if (results.some((result) => result.name === step.needs && result.failed)) {
    console.log(`Not run: ${step.needs} failed.`)
    return { passed: 0, failed: 1, skipped: 0 }
  }
  const code = await execute(step)
  if (!step.count) return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 }
  const counts = step.count()
  // Nothing run, a file that didn't load, an error outside a test: each is a failure without a failed test.
  const silent = counts.failed === 0 && (code !== 0 || counts.passed === 0)
  return silent ? { ...counts, failed: 1 } : counts
}

function execute({ run, minutes, name }: Step): Promise<number | null> {
  // Not whatever the shell says of NODE_ENV: each tool has its own right value.
  const { NODE_ENV: _, ...rest } = process.env
  const env = { ...rest, PLAYWRIGHT_JSON_OUTPUT_FILE: e2eReport } as unknown as NodeJS.ProcessEnv
  const options = run[0]?.endsWith('.ts') ? ['--disable-warning=ExperimentalWarning'] : []
  stage = runStage([...options, ...run], {
    cwd: ROOT,
    env,
    limitMs: minutes * 60_000,
    late: () => console.log(`${name} was stopped after ${minutes} minutes.`),
  })
  return stage.ended
}

function report(): void {
  if (failures.length > 0) console.log(`\n── failed\n${failures.join('\n')}`)
  console.log('\n── times')
  for (const { name, seconds, failed } of results) {
    console.log(`${failed ? 'FAILED' : 'passed'} ${seconds.toFixed(1).padStart(7)} s  ${name}`)
  }
  const sum = (key: keyof Counts) => results.reduce((total, { counts }) => total + counts[key], 0)
  // Stopped half-way is not passed.
  const failed = sum('failed') + (stopped ? 1 : 0)
  const skipped = sum('skipped')
  console.log(`\n${sum('passed')} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`)
  process.exitCode = failed ? 1 : 0
}
