import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import type { Step } from '../fakes/vendors/fake.ts'
import type { Call } from '../fakes/vendors/routes.ts'
import { judge, type Verdict } from './assertions.ts'
import type { Times } from './clock.ts'
import { readAll, resolveAll } from './end.ts'
import { anyFault, FAULT_RATE, type FaultOf, seeded } from './fault-plan.ts'
import { resolveUntilAborted } from './jobs.ts'
import { sendNaively } from './naive-implementation.ts'
import { hiddenChanges, resolveByOperator } from './operator.ts'
import { countOf, FULL, oneOf, printSeed, randomOfRun, seedOfRun } from './run.ts'
import { scenarios } from './scenarios.ts'
import { type Scenario, type Stage, setStage } from './stage.ts'
import { vendorConsole } from './vendor-console.ts'
import { type Answered, write } from './writers.ts'

printSeed('test/fuzz/fuzz.test.ts')
// A shorter run has the same expectations.
const PATCHES = countOf([150, 600, 3000])
let database: TestDatabase
let stage: Stage
beforeEach(async () => {
  database = await testDatabase()
})
afterEach(async () => {
  await stage.close()
  await database.close()
})

const HOLDS = {
  writesWithoutRecord: 0,
  findings: [],
  reportedAsNotApplied: 0,
  assetsThatDiffer: 0,
  overlappingWrites: 0,
  answersWithoutEvidence: 0,
  recordsWithoutWrite: 0,
  drift: 0,
  open: 0,
  callsWithoutRecord: 0,
  hidden: 0,
  stuck: 0,
}

/** Counts of faults that the naive implementation has, all of them after some rounds of requests. */
const VIOLATED = [
  'writesWithoutRecord',
  'reportedAsNotApplied',
  'assetsThatDiffer',
  'overlappingWrites',
  'answersWithoutEvidence',
  'callsWithoutRecord',
] as const
const MAX_ROUNDS = 20

const options = { timeout: 600_000 }

describe.each(scenarios)('$vendor', (scenario) => {
  test(`${PATCHES} PATCHes of 12 writers on 40 assets, a third of all calls failing`, options, async () => {
    const verdict = await fuzz(scenario, { assets: 40, faultOf: anyFault(scenario) })
    expect(verdict).toMatchObject(HOLDS)
    // No other client changes anything: if the outcome of a call can be determined, it is known before the whole vendor
    // is read.
    expect(verdict.differedBefore).toBeLessThanOrEqual(verdict.unclear)
    isLively(verdict)
  })

  test(
    `${PATCHES} PATCHes, while a user changes totals in the vendor’s console, at two accounts`,
    options,
    async () => {
      const verdict = await fuzz(scenario, { assets: 40, faultOf: anyFault(scenario), isShared: true })
      expect(verdict).toMatchObject(HOLDS)
      isLively(verdict)
      expect(verdict.unclear).toBeGreaterThan(0)
    },
  )
})

describe.each(oneOf(scenarios))('$vendor', (scenario) => {
  test('mostly stale reads of few assets', options, async () => {
    const times = { VENDOR_STALE_MS: '2500', VENDOR_WRITE_MS: '500' }
    const faultOf: FaultOf = ({ kind }, random) => {
      if (kind === 'read') return random() < 0.6 ? 'stale' : undefined
      return random() < FAULT_RATE / 2 ? anyFault(scenario)({ kind }, () => random() * FAULT_RATE) : undefined
    }
    const verdict = await fuzz(scenario, { assets: 10, faultOf, times, staleMs: 600, isEnough: changedOften })
    expect(verdict).toMatchObject({ ...HOLDS, unclear: 0, differedBefore: 0 })
    expect(verdict.vendorWrites).toBeGreaterThan(10)
  })

  test('the naive implementation violates all of these expectations', options, async () => {
    stage = await setStage(scenario, {
      assets: 40,
      writers: 12,
      options: { choose: seeded(anyFault(scenario)) },
    })
    const end = new AbortController()
    const consoleChanges = vendorConsole(stage, randomOfRun('console')).changeUntilAborted(end.signal)
    const answers: Answered[] = []
    let missing: string[] = [...VIOLATED]
    // It answers immediately, and each fault needs its chance.
    for (let round = 0; missing.length > 0 && round < MAX_ROUNDS; round++) {
      const [seed, name] = [seedOfRun(`writers ${round}`), `fuzz-${round}`]
      answers.push(...(await write(stage, { patches: PATCHES, seed, name, by: sendNaively })))
      await stage.fake.whenIdle()
      const verdict = await judge(database, stage, answers)
      if (FULL) console.log(scenario.vendor, 'the naive implementation', verdict)
      missing = VIOLATED.filter((count) => verdict[count] === 0)
    }
    end.abort()
    await consoleChanges
    expect(missing).toEqual([])
  })
})

/** Expects enough writes and failed calls, and no 500. */
function isLively({ vendorWrites, answers }: Verdict): void {
  expect(vendorWrites).toBeGreaterThan(PATCHES / 50)
  expect(answers['504 outcome_unknown']).toBeGreaterThan(0)
  expect(answers['503 vendor_unavailable']).toBeGreaterThan(0)
  expect(Object.keys(answers).filter((answer) => answer.startsWith('500'))).toEqual([])
}

/** Returns whether the vendor confirmed many changes: an open circuit breaker can reject most of a short run. */
function changedOften(answers: readonly Answered[]): boolean {
  return answers.filter(({ status }) => status === 200).length > 20
}

/** Returns whether calls failed in both ways: the vendor did not answer, and the outcome stayed unknown. */
function failedAtBothStages(answers: readonly Answered[]): boolean {
  return [503, 504].every((status) => answers.some((answer) => answer.status === status))
}

type Setting = {
  assets: number
  faultOf: FaultOf
  times?: Times
  staleMs?: number
  /** Whether a user changes totals in the vendor's own console during the run, at two accounts. */
  isShared?: boolean
  /** The writers send another round of PATCHes until their answers are enough for the assertions. */
  isEnough?: (answers: readonly Answered[]) => boolean
}

type Outcome = Verdict & {
  /** Assets that differed from the vendor's before all subscriptions were read. */
  differedBefore: number
  /** Changes that waited for something, and that no operator saw, or could resolve. */
  hidden: number
  stuck: number
}

async function fuzz(
  scenario: Scenario,
  { assets, faultOf, times = {}, staleMs = 60, isShared = false, isEnough = failedAtBothStages }: Setting,
): Promise<Outcome> {
  let failing = true
  const chosen = seeded(faultOf)
  const choose = (call: Call) => (failing ? chosen(call) : undefined)
  const random = randomOfRun('console')
  const onStep = (step: Step, { subscriptionId }: Call, at: string) => {
    const seed = stage.seeds.find(({ id, account }) => id === subscriptionId && account === at)
    // The moment from which the outcome can't be determined any more.
    if (isShared && failing && seed && step === 'write-applied' && random() < 0.1) consoleUser.change(seed)
  }
  const accounts = isShared ? 2 : 1
  const options = { choose, staleMs, onStep }
  stage = await setStage(scenario, { assets, writers: 12, accounts, options, times })
  const consoleUser = vendorConsole(stage, random)
  const end = new AbortController()
  // Like the job, which runs each minute.
  const others = [
    resolveUntilAborted(end.signal),
    ...(isShared ? [consoleUser.changeUntilAborted(end.signal)] : []),
  ]
  const answers: Answered[] = []
  for (let round = 0; round === 0 || !isEnough(answers); round++) {
    const name = `fuzz-${round}`
    answers.push(...(await write(stage, { patches: PATCHES, seed: seedOfRun(`writers ${round}`), name })))
  }
  failing = false
  end.abort()
  await Promise.all(others)
  const hidden = await hiddenChanges(database)
  await resolveAll()
  for (const fake of stage.fakes) await fake.whenIdle()
  const { assetsThatDiffer: differedBefore } = await judge(database, stage, answers)
  // Fixed wait: reads are old enough to be repeated. Reading everything repairs totals that only the vendor has
  // changed.
  await pause(1000)
  await readAll()
  const verdict = await judge(database, stage, answers)
  const outcome = { ...verdict, differedBefore, hidden, stuck: await resolveByOperator(database, stage) }
  if (FULL) console.log(scenario.vendor, assets, 'assets', isShared ? 'shared' : '', outcome)
  return outcome
}
