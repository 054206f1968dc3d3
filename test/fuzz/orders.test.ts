import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import type { Call } from '../fakes/vendors/routes.ts'
import { resolveAll } from './end.ts'
import { anyFault, seeded } from './fault-plan.ts'
import { repeatUntilAborted, resolveUntilAborted } from './jobs.ts'
import { type NextTerms, nextTerms } from './next-terms.ts'
import { keepReconciling, readSeed, restless, settleOrders } from './order-jobs.ts'
import { HOLDS, judgeOrders, type Renewed, renewTerm } from './order-verdict.ts'
import { order } from './orderers.ts'
import { countOf, FULL, oneOf, printSeed, randomOfRun, SEED, seedOfRun } from './run.ts'
import { scenarios } from './scenarios.ts'
import { type Scenario, type Seed, type Stage, setStage } from './stage.ts'

printSeed('test/fuzz/orders.test.ts')
const REQUESTS = countOf([150, 500, 2000])
let database: TestDatabase
let stage: Stage
beforeEach(async () => {
  database = await testDatabase()
})
afterEach(async () => {
  await stage.close()
  await database.close()
})

const options = { timeout: 600_000 }

describe.each(scenarios)('$vendor', (scenery) => {
  const terms = nextTerms[scenery.vendor] as NextTerms

  test(`${REQUESTS} orders, withdrawals and PATCHes, and a calm before the terms end`, options, async () => {
    const { verdict, answers } = await fuzz(scenery, terms, { isCalm: true })
    expect(verdict.states.UNCLEAR ?? 0).toBe(0)
    expect(verdict.states.APPLIED).toBeGreaterThan(0)
    expect(answers['PUT 200']).toBeGreaterThan(0)
  })

  test(
    `${REQUESTS} of them, while another party sets next terms in the vendor's console`,
    options,
    async () => {
      const { verdict } = await fuzz(scenery, terms, { isShared: true })
      expect(verdict.foreign).toBeGreaterThan(0)
    },
  )
})

test.each(oneOf(scenarios))(
  `$vendor: ${REQUESTS} of them, and the terms end in the midst of it`,
  options,
  async (scenario) => {
    await fuzz(scenario, nextTerms[scenario.vendor] as NextTerms, {})
  },
)

/** Times at which another party set the next term of a subscription, in epoch milliseconds. */
type Touched = Map<Seed, number[]>
type Setting = { isCalm?: boolean; isShared?: boolean }

async function fuzz(scenery: Scenario, terms: NextTerms, { isCalm, isShared }: Setting) {
  let failing = true
  const chosen = seeded(anyFault(scenery))
  const choose = (call: Call) => (failing ? chosen(call) : undefined)
  stage = await setStage(scenery, { assets: countOf([24, 48, 96]), writers: 8, options: { choose } })
  const seeds = stage.seeds.filter(({ isCommitmentPlan }) => isCommitmentPlan)
  const touched: Touched = new Map()
  failing = false
  for (const seed of seeds) {
    terms.open(stage.fakeOf(seed), seed)
    await readSeed(stage, seed)
  }
  failing = true
  const end = new AbortController()
  const random = randomOfRun('console')
  const others = [
    resolveUntilAborted(end.signal),
    keepReconciling(database, end.signal),
    ...(isShared
      ? [repeatUntilAborted(end.signal, 150, () => setByOther(seeds, touched, terms, random))]
      : []),
  ]
  const answers = await order({ ...stage, terms }, seeds, { requests: REQUESTS, seed: seedOfRun('orders') })
  end.abort()
  await Promise.all(others)
  if (isCalm) {
    failing = false
    await resolveAll()
    await expect.poll(() => restless(database), { interval: 200, timeout: 300_000 }).toEqual([])
  }
  // Some terms begin as the other party has set, whatever came before.
  for (const seed of isShared ? seeds.slice(0, 4) : []) setByOther([seed], touched, terms, random)
  const renewed: Renewed = new Map()
  for (const seed of seeds) renewed.set(seed, renewTerm(stage, terms, seed, touched.get(seed)))
  failing = false
  await resolveAll()
  await expect.poll(() => settleOrders(database), { interval: 200, timeout: 300_000 }).toEqual([])
  const verdict = await judgeOrders(database, stage, terms, renewed)
  if (FULL) console.log(scenery.vendor, { isCalm, isShared }, answers, verdict)
  const { findings, ...counts } = verdict
  const message = [JSON.stringify({ seed: SEED, ...counts, answers }), ...findings].join('\n')
  expect(verdict, message).toMatchObject(HOLDS)
  return { verdict, answers }
}

function setByOther(seeds: readonly Seed[], touched: Touched, terms: NextTerms, random: () => number): void {
  const seed = seeds[Math.floor(random() * seeds.length)] as Seed
  touched.set(seed, [...(touched.get(seed) ?? []), Date.now()])
  terms.set(stage.fakeOf(seed), seed, Math.floor(random() * 90))
}
