import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { olderCommit } from './release/releases.ts'
import {
  type Counts,
  countPlaywright,
  countVitest,
  failuresOfPlaywright,
  failuresOfVitest,
  longestTimings,
  timingsOfPlaywright,
  timingsOfVitest,
} from './reports.ts'
import { runStage, type Stage } from './stage.ts'

// Runs the whole suite: the output of each step, then the slowest files and tests, the times of the steps, and last one
// line with the numbers.
// npm test
// npm run test:deep [-- <git ref of the older version that runs side by side, by default the last release>]
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const [mode, ref] = process.argv.slice(2)
const isDeep = mode === '--deep'
/** Commit that runs side by side, resolved now: a missing ref fails immediately, not after hours. */
const older = isDeep ? olderOrExit() : ''
const reports = mkdtempSync(join(tmpdir(), 'licenses-invoices-reports-'))
const unitReport = join(reports, 'vitest.json')
const fileTimes = join(reports, 'files.json')
const e2eReport = join(reports, 'playwright.json')
/** The whole suite on two quiet cores, at most. */
const SUITE_MINUTES = 10
const MAX_TIMINGS = 20
/** Factor of the timeouts in a deep run. */
const DEEP_TIMEOUT_FACTOR = 4
/** Environment of the tests and their configurations. */
const DEEP_ENV = { DEEP: '1' }

type Step = {
  name: string
  /** A program of a package in node_modules, or a script, with its arguments. */
  run: string[]
  /** Timeout in minutes: a busy machine needs a third of it. A deep run waits longer. */
  minutes: number
  /** Counts the step's tests; a step without it counts as one check. */
  count?: () => Counts
  /** A step that has to pass before. */
  needs?: string
  env?: Record<string, string>
}

/** Steps in their order; those of a list run at the same time. */
const STEPS: (Step | Step[])[] = [
  { name: 'route types', run: ['node_modules/next/dist/bin/next', 'typegen'], minutes: 10 },
  [
    { name: 'lock file', run: ['scripts/complete-lockfile.mjs'], minutes: 10 },
    {
      name: 'format and lint',
      run: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
      minutes: 10,
    },
    { name: 'dead code', run: ['node_modules/knip/bin/knip.js'], minutes: 10 },
    // Four checkers, the default, take twice the CPU time of one.
    {
      name: 'types',
      run: ['node_modules/typescript/bin/tsc', '--noEmit', '--checkers', '1'],
      minutes: 10,
    },
  ],
  {
    name: 'unit and operation tests',
    run: [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${unitReport}`,
      '--reporter=./scripts/file-times.ts',
      ...(isDeep ? ['--isolate'] : []),
    ],
    minutes: 40,
    count: () => countVitest(unitReport),
  },
  // Where nothing was built before, a cache for the next build would cost more than it saves.
  {
    name: 'build',
    run: ['scripts/build.ts'],
    minutes: 20,
    env: existsSync(join(ROOT, '.next', 'cache')) ? {} : { BUILD_CACHE: '0' },
  },
  { name: 'browser', run: ['e2e/chromium.ts'], minutes: 10 },
  {
    name: 'API and screens',
    run: ['node_modules/@playwright/test/cli.js', 'test', '--reporter=list,json'],
    minutes: 60,
    count: () => countPlaywright(e2eReport),
    needs: 'build',
    env: isDeep ? {} : { ONE_API_WORKER: '1' },
  },
  ...(isDeep ? slowPrograms() : []),
]

const stages = new Set<Stage>()
let stopped: NodeJS.Signals | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    stopped = signal
    for (const stage of stages) stage.end()
  })
}

const results: { name: string; seconds: number; counts: Counts; failed: boolean }[] = []
const started = Date.now()
for (const step of STEPS) {
  if (stopped) break
  await (Array.isArray(step) ? Promise.all(step.map((one) => perform(one, true))) : perform(step))
}
const minutes = (Date.now() - started) / 60_000
const failures = [...failuresOfVitest(unitReport), ...failuresOfPlaywright(e2eReport)]
const timings = [timingsOfVitest(unitReport, fileTimes, ROOT), timingsOfPlaywright(e2eReport, ROOT)]
rmSync(reports, { recursive: true, force: true })
report()

/** Checks that are separate programs: the exit code of each is 1 if it finds a fault. */
function slowPrograms(): Step[] {
  const program = (name: string, ...args: string[]): Step => ({
    name: [name, ...args].join(' '),
    run: ['scripts/setup.mjs', '--no-env-file', `scripts/${name}.ts`, ...args],
    minutes: 30,
    env: { LOG_LEVEL: 'warn' },
  })
  return [
    program('survival', '4000'),
    program('side-by-side', older),
    // Like the step before, but with the tables migrated under the older version.
    program('side-by-side', '--live', older),
  ]
}

/** Runs a step, and adds its result. Prints buffered output at the end, because other steps run at the same time. */
async function perform(step: Step, isBuffered = false): Promise<void> {
  const start = Date.now()
  const parts = [`\n── ${step.name}\n`]
  if (!isBuffered) process.stdout.write(parts[0] ?? '')
  const counts = await countsOf(step, isBuffered ? (text) => parts.push(text) : undefined)
  if (isBuffered) process.stdout.write(parts.join(''))
  results.push({ name: step.name, seconds: (Date.now() - start) / 1000, counts, failed: counts.failed > 0 })
}

async function countsOf(step: Step, onOutput?: (text: string) => void): Promise<Counts> {
  if (results.some((result) => result.name === step.needs && result.failed)) {
    console.log(`Not run: ${step.needs} failed.`)
    return { passed: 0, failed: 1, skipped: 0 }
  }
  const code = await execute(step, onOutput)
  if (!step.count) return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 }
  const counts = step.count()
  // No tests, a file that didn't load, and an error outside a test are failures without a failed test.
  const silent = counts.failed === 0 && (code !== 0 || counts.passed === 0)
  return silent ? { ...counts, failed: 1 } : counts
}

function olderOrExit(): string {
  try {
    return olderCommit(ref)
  } catch (error) {
    console.error((error as Error).message)
    process.exit(2)
  }
}

async function execute(
  { run, minutes, name, env: more }: Step,
  onOutput?: (text: string) => void,
): Promise<number | null> {
  const limit = isDeep ? minutes * DEEP_TIMEOUT_FACTOR : minutes
  // Not the shell's NODE_ENV: each tool has its own right value.
  const { NODE_ENV: _, ...rest } = process.env
  const env = {
    ...rest,
    ...(isDeep ? DEEP_ENV : {}),
    ...more,
    FILE_TIMES: fileTimes,
    PLAYWRIGHT_JSON_OUTPUT_FILE: e2eReport,
  } as unknown as NodeJS.ProcessEnv
  const options = run[0]?.endsWith('.ts') ? ['--disable-warning=ExperimentalWarning'] : []
  const stage = runStage([...options, ...run], {
    cwd: ROOT,
    env,
    limitMs: limit * 60_000,
    onTimeout: () => console.log(`${name} was stopped after ${limit} minutes.`),
    ...(onOutput && { onOutput }),
  })
  stages.add(stage)
  const code = await stage.ended
  stages.delete(stage)
  return code
}

function report(): void {
  for (const what of ['files', 'tests'] as const) {
    const lines = longestTimings(
      timings.flatMap((part) => part[what]),
      MAX_TIMINGS,
    )
    if (lines.length > 0) console.log(`\n── slowest ${what}\n${lines.join('\n')}`)
  }
  if (failures.length > 0) console.log(`\n── failed\n${failures.join('\n')}`)
  console.log('\n── times')
  for (const { name, seconds, failed } of results) {
    console.log(`${failed ? 'FAILED' : 'passed'} ${seconds.toFixed(1).padStart(7)} s  ${name}`)
  }
  const budget = isDeep ? '' : ` of ${SUITE_MINUTES} on two quiet cores`
  console.log(`       ${minutes.toFixed(1)} minutes${budget}`)
  const sum = (key: keyof Counts) => results.reduce((total, { counts }) => total + counts[key], 0)
  // An interrupted step has not passed.
  const failed = sum('failed') + (stopped ? 1 : 0)
  const skipped = sum('skipped')
  console.log(`\n${sum('passed')} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`)
  process.exitCode = failed ? 1 : 0
}
