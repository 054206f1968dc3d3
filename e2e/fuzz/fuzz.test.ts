import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dueChanges } from '#lib/access/due-work.ts'
import { readVendors, settleOpenChanges } from '#lib/assets/keep-up.ts'
import { type TestDatabase, testDatabase } from '#lib/db/test-database.ts'
import type { Call } from '../vendors/routes.ts'
import { naive } from './naive.ts'
import { sceneries } from './sceneries.ts'
import { type Scenery, type Stage, setStage } from './stage.ts'
import { judge, type Verdict } from './verdict.ts'
import { randomFrom, type Send, write } from './writers.ts'

// `npm run fuzz` runs it in full length; here a part of it holds the same four zeros.
const FULL = process.env.FUZZ === 'full'
const PATCHES = FULL ? 3000 : 400
const FAULT_RATE = 0.35
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

describe.each(sceneries)('$vendor', (scenery) => {
  test(`${PATCHES} PATCHes of 12 writers on 40 assets, a third of all calls failing`, {
    timeout: 600_000,
  }, async () => {
    const verdict = await fuzz(scenery)
    expect(verdict).toMatchObject({
      ...{ writesWithoutRecord: 0, assetsThatDiffer: 0, overlappingWrites: 0 },
      ...{ answersWithoutEvidence: 0, open: 0 },
    })
    // There was something that could go wrong.
    expect(verdict.vendorWrites).toBeGreaterThan(PATCHES / 50)
    expect(verdict.answers['504 outcome_unknown']).toBeGreaterThan(0)
    expect(verdict.answers['503 vendor_unavailable']).toBeGreaterThan(0)
    expect(Object.keys(verdict.answers).filter((answer) => answer.startsWith('500'))).toEqual([])
  })

  test('the usual code fails in all four', { timeout: 600_000 }, async () => {
    const verdict = await fuzz(scenery, naive)
    expect(verdict.writesWithoutRecord).toBeGreaterThan(0)
    expect(verdict.assetsThatDiffer).toBeGreaterThan(0)
    expect(verdict.overlappingWrites).toBeGreaterThan(0)
    expect(verdict.answersWithoutEvidence).toBeGreaterThan(0)
  })
})

async function fuzz(scenery: Scenery, by?: Send): Promise<Verdict> {
  const random = randomFrom(20_261_120)
  let failing = true
  const choose = ({ kind }: Call) => {
    if (!failing || random() > FAULT_RATE) return undefined
    const faults =
      kind === 'write' ? [...WRITE_FAULTS, ...scenery.ownFaults] : kind === 'read' ? READ_FAULTS : []
    return faults[Math.floor(random() * faults.length)]
  }
  stage = await setStage(scenery, { assets: 40, writers: 12, options: { choose } })
  if (by) {
    // It answers at once, so that there can be more of it: each of the four needs its chance.
    const answers = await write(stage, { patches: Math.max(PATCHES, 1500), seed: 7, by })
    await stage.fake.settled()
    const verdict = await judge(database, stage, answers)
    if (FULL) console.log(scenery.vendor, 'the usual code', verdict)
    return verdict
  }
  // As the job does it each minute.
  const job = new AbortController()
  const jobs = keepSettling(job.signal)
  const answers = await write(stage, { patches: PATCHES, seed: 7 })
  failing = false
  job.abort()
  await jobs
  const end = Date.now() + 30_000
  while ((await dueChanges()).length > 0 && Date.now() < end) {
    await settleOpenChanges('fuzz-end')
    await pause(100)
  }
  await stage.fake.settled()
  await pause(300)
  await readVendors('fuzz-end')
  const verdict = await judge(database, stage, answers)
  if (FULL) console.log(scenery.vendor, verdict)
  return verdict
}

async function keepSettling(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // A row that is locked is somebody's at this moment: it is due again next time.
    await settleOpenChanges('fuzz-job').catch(() => {})
    await pause(250)
  }
}
