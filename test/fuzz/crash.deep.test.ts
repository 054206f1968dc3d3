import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reconcileOpenChanges } from '#lib/licenses/license-changes/jobs.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import type { Step } from '../fakes/vendors/fake.ts'
import type { Call } from '../fakes/vendors/routes.ts'
import { judge } from './assertions.ts'
import { countOf, printSeed, randomOfRun } from './run.ts'
import { scenarios } from './scenarios.ts'
import { CUSTOMER, type Seed, type Stage, setStage } from './stage.ts'

printSeed('test/fuzz/crash.deep.test.ts')
const KILLS = countOf([10, 15, 60])
const STEPS: Step[] = ['read-arrived', 'read-answered', 'write-arrived', 'write-applied', 'write-answered']
const CLIENT = fileURLToPath(new URL('./crash-client.ts', import.meta.url))
const TARGET = 33
/** A process that has just started is slow, and no other client waits for it. */
const PATIENT = { VENDOR_READ_MS: '5000', VENDOR_WRITE_MS: '5000', VENDOR_CONFIRM_MS: '5000' }

describe.each(scenarios)('$vendor', (scenario) => {
  let database: TestDatabase
  let stage: Stage
  let killAt: Step
  let target: Seed
  let client: ChildProcess
  const random = randomOfRun('kills')

  /** A call continues when its client is dead; after a response the client has some milliseconds to store it. */
  const onStep = async (step: Step, { subscriptionId }: Call) => {
    // A call of an earlier client may still be in progress.
    if (step !== killAt || subscriptionId !== target.id) return
    const victim = client
    if (step.endsWith('answered')) setTimeout(() => victim.kill('SIGKILL'), random() * 12)
    else if (victim.exitCode === null && victim.signalCode === null) {
      victim.kill('SIGKILL')
      await once(victim, 'exit')
    }
  }

  beforeAll(async () => {
    database = await testDatabase()
    stage = await setStage(scenario, { assets: KILLS, writers: 1, options: { onStep }, times: PATIENT })
  })
  afterAll(async () => {
    await stage.close()
    await database.close()
  })

  async function killedPatch(seed: Seed): Promise<string> {
    const args = ['--conditions=react-server', '--disable-warning=ExperimentalWarning', CLIENT]
    const clientArgs = [
      database.url,
      stage.keys[0] ?? '',
      stage.assetId(seed),
      String(TARGET),
      `crash-${seed.id}`,
    ]
    const env = { ...process.env, ...stage.settings }
    client = spawn(process.execPath, [...args, ...clientArgs], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    client.stdout?.on('data', (chunk) => {
      output += chunk
    })
    await once(client, 'exit')
    return client.signalCode ?? output
  }

  test(`${KILLS} kills between any two steps lose nothing and leave nothing open`, {
    timeout: 400_000,
  }, async () => {
    const ends: string[] = []
    for (const [n, seed] of stage.seeds.entries()) {
      killAt = STEPS[n % STEPS.length] as Step
      target = seed
      ends.push(await killedPatch(seed))
    }
    const states = () => database.sql(CUSTOMER, 'SELECT state FROM license_changes ORDER BY state')
    const left = (await states()).map(({ state }) => state)
    expect(ends.filter((end) => end === 'SIGKILL').length).toBeGreaterThan(KILLS * 0.7)
    expect(left).toContain('CLAIMED')
    expect(left).toContain('SENT')

    // Fixed wait: the lease has ended, and so has the time in which the vendor may still execute the call.
    await pause(2500)
    await reconcileOpenChanges('next-job')
    const verdict = await judge(database, stage, [])
    expect(verdict).toMatchObject({
      open: 0,
      writesWithoutRecord: 0,
      reportedAsNotApplied: 0,
      callsWithoutRecord: 0,
      assetsThatDiffer: 0,
      overlappingWrites: 0,
    })
    const finalStates = (await states()).map(({ state }) => state)
    expect(finalStates.filter((state) => state === 'APPLIED')).toHaveLength(verdict.vendorWrites)
    expect(new Set(finalStates)).toEqual(new Set(['APPLIED', 'FAILED']))
    expect(finalStates).toHaveLength(KILLS)
  })
})
