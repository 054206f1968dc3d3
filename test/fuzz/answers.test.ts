import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Role } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import {
  addAsset,
  addCustomer,
  addInvoice,
  addKey,
  addMember,
  addProfile,
} from '#lib/platform/db/test-rows.ts'
import {
  type AnswersInput,
  type AnswersResult,
  profile,
  type Reader,
  readAndChange,
} from './answer-client.ts'
import { countOf, printSeed, seedOfRun } from './run.ts'

// Two processes read through their caches of answers, and change rows that the other one has cached.

/** Of each process. */
const COUNTS = {
  reads: countOf([750, 7500, 50_000]),
  changes: countOf([75, 375, 2500]),
  parallel: countOf([4, 8, 8]),
}
const CUSTOMERS = ['alder', 'birch']
const PROGRAM = fileURLToPath(new URL('answer-client.ts', import.meta.url))
const OPTIONS = ['--conditions=react-server', '--disable-warning=ExperimentalWarning']

printSeed('test/fuzz/answers.test.ts')

let database: TestDatabase
const readers: Reader[] = []
const members: Record<string, string> = {}

beforeAll(async () => {
  vi.stubEnv('ANSWER_CACHE_MB', '4')
  database = await testDatabase({ today: '2026-11-25' })
  for (const customer of CUSTOMERS) {
    await addCustomer(customer)
    await addProfile(customer, 'berlin')
    for (let n = 0; n < 8; n++) await addInvoice(customer, `I-${n}`, { billingProfileId: profile(n) })
    for (let n = 0; n < 3; n++) await addAsset(customer, `office-suite-${n}`, { purchased: 5 + n })
    const commitmentEnd = new Date('2026-12-20T00:00:00Z')
    await addAsset(customer, 'office-suite-annual', { purchased: 9, isCommitmentPlan: true, commitmentEnd })
    const issuer = await addMember(customer, { roles: ['admin'], billingProfiles: ['berlin'] })
    members[customer] = issuer
    const roles: Role[][] = [['it-manager'], ['finance-user'], ['admin']]
    for (const one of roles) readers.push({ customer, key: await addKey(customer, one) })
    // Sees what its issuer sees at the moment.
    readers.push({ customer, key: await addKey(customer, ['admin'], { issuedBy: issuer }) })
  }
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.close()
})

test('each answer equals one that is computed during the read, with random changes of two processes', async () => {
  const inputOf = (process: string, parity: 0 | 1): AnswersInput => ({
    ...{ url: database.url, readers, members, parity, counts: COUNTS },
    seed: seedOfRun(process),
  })
  const child = fork(PROGRAM, [JSON.stringify(inputOf('child', 1))], { execArgv: OPTIONS })
  const ended = once(child, 'exit')
  const answered = Promise.race([
    once(child, 'message').then(([result]) => result as AnswersResult),
    ended.then(([code]) => Promise.reject(new Error(`The other process has ended with ${code}.`))),
  ])
  const results = await Promise.all([readAndChange(inputOf('parent', 0)), answered])
  await ended
  console.log(JSON.stringify(results.map(({ wrong: _, ...counts }) => counts)))
  for (const { wrong, changes, compared, ambiguous, stats } of results) {
    expect(wrong).toEqual([])
    expect(ambiguous).toBeLessThan(5 + compared / 1000)
    expect(changes).toBeGreaterThan(COUNTS.changes / 2)
    expect(compared).toBeGreaterThan(COUNTS.reads / 2)
    expect(stats.hits).toBeGreaterThan(COUNTS.reads / 50)
  }
}, 3_000_000)
