import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import type { Patch, Patched } from './patching-process.ts'
import { countOf } from './run.ts'
import { scenarios } from './scenarios.ts'
import { CUSTOMER, type Seed, type Stage, setStage } from './stage.ts'

// Many requests to fewer licenses of a commitment, at once and over two processes: our copy of the vendor's books forbids them.

const DECREASES = countOf([48, 192, 192])
const PROGRAM = fileURLToPath(new URL('patching-process.ts', import.meta.url))
const OPTIONS = ['--conditions=react-server', '--disable-warning=ExperimentalWarning']

let database: TestDatabase
let stage: Stage
let processes: ChildProcess[]
beforeEach(async () => {
  database = await testDatabase()
})
afterEach(async () => {
  for (const child of processes) {
    const ended = once(child, 'exit')
    child.send('end')
    await ended
  }
  await stage.close()
  await database.close()
})

describe.each(scenarios)('$vendor', (scenery) => {
  test(`${DECREASES} parallel decreases of two processes are refused by one read, and no change is claimed`, async () => {
    const times = { VENDOR_READ_MS: '4000', VENDOR_PAUSE_MS: '30000', CHANGE_LEASE_MS: '30000' }
    stage = await setStage(scenery, { assets: 2, writers: 8, times })
    const annual = stage.seeds.find(({ isCommitmentPlan }) => isCommitmentPlan) as Seed
    const env = { ...process.env, ...stage.settings }
    processes = [1, 2].map(() => fork(PROGRAM, [database.url], { execArgv: OPTIONS, env }))
    const patches = Array.from({ length: DECREASES }, (_, n): Patch => {
      const key = stage.keys[n % stage.keys.length] ?? ''
      return { assetId: stage.assetId(annual), key, quantity: n % annual.total }
    })
    const answers = processes.map(async (child, at) => {
      const answered = once(child, 'message')
      child.send(patches.filter((_, n) => n % processes.length === at))
      const [answer] = await answered
      return answer as Patched[]
    })
    const codes = (await Promise.all(answers)).flat().map(({ status, body }) => `${status} ${body.code}`)
    // One read may be a call for the subscription and another one for who uses it.
    const calls = stage.fake.exchanges.flatMap(({ call }) => (call.kind === 'read' ? [call.name] : []))
    const reads = Math.max(...calls.map((name) => calls.filter((one) => one === name).length))
    const audit = await database.sql(
      CUSTOMER,
      "SELECT DISTINCT action FROM audit_events WHERE action LIKE 'license-change.%'",
    )
    const counts = Object.fromEntries(
      [...new Set(codes)].map((code) => [code, codes.filter((one) => one === code).length]),
    )
    expect({ ...counts, reads, audit }).toEqual({
      '409 decrease_not_allowed': DECREASES,
      reads: 1,
      audit: [],
    })
  })
})
