import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dueChanges } from '#lib/access/due-work.ts'
import { type TestDatabase, testDatabase } from '#lib/db/test-database.ts'
import { readVendors, settleOpenChanges } from '#lib/license-changes/jobs.ts'
import type { Call } from '../stand-ins/vendors/routes.ts'
import { naive } from './naive.ts'
import { sceneries } from './sceneries.ts'
import { type Scenery, type Stage, setStage, type Times } from './stage.ts'
import { judge, type Verdict } from './verdict.ts'
import { randomFrom, write } from './writers.ts'

// `npm run fuzz` runs it in full length; here a part of it holds the same four zeros.
const FULL = process.env.FUZZ === 'full'
const PATCHES = FULL ? 3000 : 400
const FAULT_RATE = 0.35
/** How many of the throttles that would be as many as other faults. */
const THROTTLE_SHARE = 0.1
const READ_FAULTS = ['drop-before', 'hang-before', 'error-before', 'throttle', 'stale']
const WRITE_FAULTS = [
  ...['drop-before', 'hang-before', 'error-before', 'throttle'],
  ...['reset-after', 'hang-after', 'error-after', 'late', 'late-hang'],
]

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
  assetsThatDiffer: 0,
  overlappingWrites: 0,
  answersWithoutEvidence: 0,
  recordsWithoutWrite: 0,
  drift: 0,
  open: 0,
}

describe.each(sceneries)('$vendor', (scenery) => {
  const options = { timeout: 600_000 }

  test(`${PATCHES} PATCHes of 12 writers on 40 assets, a third of all calls failing`, options, async () => {
    const verdict = await fuzz(scenery, { assets: 40, faultOf: anyFault(scenery) })
    expect(verdict).toMatchObject(HOLDS)
    // There was something that could go wrong.
    expect(verdict.vendorWrites).toBeGreaterThan(PATCHES / 50)
    expect(verdict.answers['504 outcome_unknown']).toBeGreaterThan(0)
    expect(verdict.answers['503 vendor_unavailable']).toBeGreaterThan(0)
    expect(Object.keys(verdict.answers).filter((answer) => answer.startsWith('500'))).toEqual([])
  })

  test('reads that are mostly old, of few assets', options, async () => {
    const times = { VENDOR_STALE_MS: '2500', VENDOR_WRITE_MS: '500' }
    const faultOf: FaultOf = ({ kind }, random) => {
      if (kind === 'read') return random() < 0.6 ? 'stale' : undefined
      return random() < FAULT_RATE / 2 ? anyFault(scenery)({ kind }, () => random() * FAULT_RATE) : undefined
    }
    const verdict = await fuzz(scenery, { assets: 10, faultOf, times, staleMs: 600 })
    expect(verdict).toMatchObject(HOLDS)
    expect(verdict.vendorWrites).toBeGreaterThan(10)
  })

  test('the usual code fails in all four', options, async () => {
    stage = await setStage(scenery, {
      assets: 40,
      writers: 12,
      options: { choose: seeded(anyFault(scenery)) },
    })
    // It answers at once, so that there can be more of it: each of the four needs its chance.
    const answers = await write(stage, { patches: Math.max(PATCHES, 1500), seed: 7, by: naive })
    await stage.fake.settled()
    const verdict = await judge(database, stage, answers)
    if (FULL) console.log(scenery.vendor, 'the usual code', verdict)
    expect(verdict.writesWithoutRecord).toBeGreaterThan(0)
    expect(verdict.assetsThatDiffer).toBeGreaterThan(0)
    expect(verdict.overlappingWrites).toBeGreaterThan(0)
    expect(verdict.answersWithoutEvidence).toBeGreaterThan(0)
  })
})

type FaultOf = (call: Pick<Call, 'kind'>, random: () => number) => string | undefined

function anyFault({ ownFaults }: Scenery): FaultOf {
  return ({ kind }, random) => {
    if (random() > FAULT_RATE) return undefined
    const faults = kind === 'write' ? [...WRITE_FAULTS, ...ownFaults] : kind === 'read' ? READ_FAULTS : []
    const fault = faults[Math.floor(random() * faults.length)]
    // It keeps everybody from calling for a second: as often as the others it would leave nothing to be tried.
    return fault === 'throttle' && random() > THROTTLE_SHARE ? undefined : fault
  }
}

function seeded(faultOf: FaultOf) {
  const random = randomFrom(20_261_120)
  return (call: Call) => faultOf(call, random)
}

type Setting = { assets: number; faultOf: FaultOf; times?: Times; staleMs?: number }

async function fuzz(
  scenery: Scenery,
  { assets, faultOf, times = {}, staleMs = 60 }: Setting,
): Promise<Verdict> {
  let failing = true
  const chosen = seeded(faultOf)
  const choose = (call: Call) => (failing ? chosen(call) : undefined)
  stage = await setStage(scenery, { assets, writers: 12, options: { choose, staleMs }, times })
  // As the job does it each minute.
  const job = new AbortController()
  const jobs = keepSettling(job.signal)
  const answers = await write(stage, { patches: PATCHES, seed: 7 })
  failing = false
  job.abort()
  await jobs
  const settleAll = async () => {
    // A row that is locked is somebody's at this moment.
    await settleOpenChanges('fuzz-end').catch(() => {})
    return (await dueChanges()).length
  }
  await expect.poll(settleAll, { interval: 100, timeout: 300_000 }).toBe(0)
  await stage.fake.settled()
  const verdict = await judge(database, stage, answers)
  // Reading all of it must find nothing more: it would repair what is wrong.
  await pause(1000)
  const failure = () => readVendors('fuzz-end').then(() => undefined, String)
  // A vendor that failed many times in a row is left alone for a while.
  await expect.poll(failure, { interval: 100 }).toBeUndefined()
  const { drift, assetsThatDiffer } = await judge(database, stage, answers)
  if (FULL) console.log(scenery.vendor, assets, 'assets', verdict, { drift, assetsThatDiffer })
  return { ...verdict, drift, assetsThatDiffer: verdict.assetsThatDiffer + assetsThatDiffer }
}

async function keepSettling(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // A row that is locked is somebody's at this moment: it is due again next time.
    await settleOpenChanges('fuzz-job').catch(() => {})
    await pause(250)
  }
}
