import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import type { Step } from '../fakes/vendors/fake.ts'
import type { Call } from '../fakes/vendors/routes.ts'
import { type NextTerms, nextTerms } from './next-terms.ts'
import type { OrderTask } from './order-client.ts'
import { readSeed, restless, settleOrders } from './order-jobs.ts'
import { HOLDS, judgeOrders, ordersIn, type Renewed, renewTerm } from './order-verdict.ts'
import { type Sent, send } from './orderers.ts'
import { countOf, printSeed, randomOfRun } from './run.ts'
import { scenarios } from './scenarios.ts'
import { type Seed, type Stage, setStage } from './stage.ts'

printSeed('test/fuzz/orders.deep.test.ts')
const KILLS = countOf([10, 10, 20])
const STEPS: Step[] = ['read-arrived', 'read-answered', 'write-arrived', 'write-applied', 'write-answered']
const CLIENT = fileURLToPath(new URL('./order-client.ts', import.meta.url))
const OPTIONS = ['--conditions=react-server', '--disable-warning=ExperimentalWarning']
/** A new process is slow, and no other client waits for it here. */
const PATIENT = { VENDOR_READ_MS: '5000', VENDOR_WRITE_MS: '5000' }

describe.each(scenarios)('$vendor', (scenery) => {
  const terms = nextTerms[scenery.vendor] as NextTerms
  const random = randomOfRun('kills')
  let database: TestDatabase
  let stage: Stage
  let killAt: Step | undefined
  let target: Seed
  let client: ChildProcess

  /** An arrival continues when the client is dead; after a response the client has some milliseconds to store it. */
  const onStep = async (step: Step, { subscriptionId }: Call) => {
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
    stage = await setStage(scenery, { assets: 2 * KILLS, writers: 1, options: { onStep }, times: PATIENT })
  })
  afterAll(async () => {
    await stage.close()
    await database.close()
  })

  async function killed(seed: Seed, sent: Sent): Promise<string | null> {
    const task: OrderTask = { database: database.url, key: stage.keys[0] ?? '', seed, sent }
    const env = { ...process.env, ...stage.settings }
    client = spawn(process.execPath, [...OPTIONS, CLIENT, JSON.stringify(task)], { env, stdio: 'inherit' })
    await once(client, 'exit')
    return client.signalCode
  }

  test(`${KILLS} kills between any two steps leave the setting of the newest order`, {
    timeout: 400_000,
  }, async () => {
    const seeds = stage.seeds.filter(({ isCommitmentPlan }) => isCommitmentPlan)
    const ends: (string | null)[] = []
    for (const [n, seed] of seeds.entries()) {
      killAt = undefined
      terms.open(stage.fakeOf(seed), seed)
      await readSeed(stage, seed)
      const put: Sent = { method: 'PUT', body: terms.wish(() => 0.1), requestId: `PUT-${n}` }
      const isWithdrawn = n % 2 === 1
      if (isWithdrawn) expect(await send(stage, 0, seed, put)).toBe('200')
      killAt = STEPS[Math.floor(n / 2) % STEPS.length]
      target = seed
      ends.push(
        await killed(seed, isWithdrawn ? { method: 'DELETE', body: {}, requestId: `DELETE-${n}` } : put),
      )
    }
    killAt = undefined
    expect(ends.filter((end) => end === 'SIGKILL').length).toBeGreaterThan(KILLS * 0.7)
    await expect.poll(() => restless(database), { interval: 200, timeout: 60_000 }).toEqual([])
    const newest = new Map((await ordersIn(database)).map((order) => [order.asset, order]))
    const renewed: Renewed = new Map()
    for (const seed of seeds) {
      const held = terms.held(stage.fakeOf(seed), seed)
      const { state, wanted } = newest.get(stage.assetId(seed)) ?? {}
      // A request that was killed before its order was written leaves nothing.
      expect([state, held]).toEqual(state === 'STANDING' ? [state, wanted] : [state, terms.base])
      renewed.set(seed, renewTerm(stage, terms, seed))
    }
    await expect.poll(() => settleOrders(database), { interval: 200, timeout: 60_000 }).toEqual([])
    const verdict = await judgeOrders(database, stage, terms, renewed)
    expect(verdict, verdict.findings.join('\n')).toMatchObject(HOLDS)
    expect(verdict.states.APPLIED).toBeGreaterThan(KILLS / 4)
    expect(verdict.states.WITHDRAWN).toBeGreaterThan(KILLS / 4)
  })
})
