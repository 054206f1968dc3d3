import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import type { Step } from '../fakes/vendors/fake.ts'
import type { Call } from '../fakes/vendors/routes.ts'
import { judge } from './assertions.ts'
import { readAll, resolveAll } from './end.ts'
import { anyFault, seeded } from './fault-plan.ts'
import { hiddenChanges, resolveByOperator } from './operator.ts'
import { requestIdOf } from './requests.ts'
import { countOf, FULL, printSeed, randomOfRun, seedOfRun } from './run.ts'
import { scenarios } from './scenarios.ts'
import { type Stage, setStage } from './stage.ts'
import { vendorConsole } from './vendor-console.ts'
import type { Answered } from './writers.ts'
import type { WriterInput } from './writing-process.ts'

// Two processes on one database, each killed repeatedly during its calls, and restarted.

printSeed('test/fuzz/processes.deep.test.ts')
const KILLS = countOf([4, 10, 40])
const PATCHES = countOf([250, 750, 3000])
/** Share of the possible moments at which a process is killed. */
const KILL_RATE = 0.02
const PROGRAM = fileURLToPath(new URL('writing-process.ts', import.meta.url))
const OPTIONS = ['--conditions=react-server', '--disable-warning=ExperimentalWarning']

let database: TestDatabase
let stage: Stage
beforeEach(async () => {
  database = await testDatabase()
})
afterEach(async () => {
  await stage.close()
  await database.close()
})

describe.each(scenarios)('$vendor', (scenario) => {
  test(`${PATCHES} PATCHes of two processes, ${KILLS} kills`, { timeout: 600_000 }, async () => {
    const random = randomOfRun('kills')
    const answers: Answered[] = []
    const processes = new Map<string, ChildProcess>()
    let [kills, started, failing] = [0, 0, true]

    function start(side: string): void {
      started += 1
      const name = `${side}${started}`
      const { vendor, seeds, keys, settings } = stage
      const half = keys.filter((_, number) => (side === 'a' ? number < 6 : number >= 6))
      const input: WriterInput = {
        database: database.url,
        vendor,
        seeds,
        keys: half,
        name,
        seed: seedOfRun(name),
      }
      const env = { ...process.env, ...settings }
      const child = fork(PROGRAM, [JSON.stringify(input)], { execArgv: OPTIONS, env })
      child.on('message', (answer: Answered) => answers.push(answer))
      processes.set(name, child)
    }

    /** Kills the process that made this call, and starts another one in its place. The call continues. */
    function kill(name: string): void {
      const victim = processes.get(name)
      if (!victim) return
      kills += 1
      processes.delete(name)
      victim.kill('SIGKILL')
      start(name.slice(0, 1))
    }

    function onStep(step: Step, call: Call, at: string): void {
      if (!failing) return
      const seed = stage.seeds.find(({ id, account }) => id === call.subscriptionId && account === at)
      if (seed && step === 'write-applied' && random() < 0.1) consoleUser.change(seed)
      const name = requestIdOf(call)?.replace(/^-*/, '').split('-')[0]
      if (name && kills < KILLS && random() < KILL_RATE) kill(name)
    }

    const chosen = seeded(anyFault(scenario))
    const choose = (call: Call) => (failing ? chosen(call) : undefined)
    stage = await setStage(scenario, { assets: 40, writers: 12, accounts: 2, options: { choose, onStep } })
    const consoleUser = vendorConsole(stage, random)
    const end = new AbortController()
    const changing = consoleUser.changeUntilAborted(end.signal)
    start('a')
    start('b')
    const isEnough = () => answers.length >= PATCHES && kills >= KILLS
    await expect.poll(isEnough, { interval: 100, timeout: 500_000 }).toBe(true)
    failing = false
    end.abort()
    await changing
    const ended = [...processes.values()].map(async (child) => {
      child.send('end')
      return once(child, 'exit')
    })
    expect(await Promise.all(ended)).toEqual([
      [0, null],
      [0, null],
    ])

    const hidden = await hiddenChanges(database)
    await resolveAll()
    for (const fake of stage.fakes) await fake.whenIdle()
    // Fixed wait: reads are old enough to be repeated.
    await pause(1000)
    await readAll()
    const verdict = await judge(database, stage, answers)
    const stuck = await resolveByOperator(database, stage)
    if (FULL) console.log(scenario.vendor, kills, 'kills of two processes', verdict, { hidden, stuck })
    expect({ ...verdict, hidden, stuck }).toMatchObject({
      writesWithoutRecord: 0,
      findings: [],
      reportedAsNotApplied: 0,
      assetsThatDiffer: 0,
      overlappingWrites: 0,
      answersWithoutEvidence: 0,
      recordsWithoutWrite: 0,
      callsWithoutRecord: 0,
      drift: 0,
      open: 0,
      hidden: 0,
      stuck: 0,
    })
    expect(verdict.vendorWrites).toBeGreaterThan(PATCHES / 50)
  })
})
