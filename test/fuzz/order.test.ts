import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { purchasedSteps } from '#components/licenses/seats/seat-steps.ts'
import { listAssets, readAsset } from '#lib/licenses/assets/operations.ts'
import type { LicenseChange } from '#lib/licenses/license-changes/contract.ts'
import { listLicenseChanges } from '#lib/licenses/license-changes/operations.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, addKey, callerOf } from '#lib/platform/db/test-rows.ts'
import type { Patch, Patched } from './patching-process.ts'
import { countOf } from './run.ts'

// The history of an asset in our own books is in the order of the changes when many clients change it concurrently.

const ROUNDS = countOf([8, 24, 96])
const PARALLEL = 10
/** Number of further PATCHes per round that name the version that they read before. */
const CONDITIONAL = 2
const PROGRAM = fileURLToPath(new URL('patching-process.ts', import.meta.url))
const OPTIONS = ['--conditions=react-server', '--disable-warning=ExperimentalWarning']
const CUSTOMER = 'northwind'
const ASSET = 'workspace-suite-1'
const origin = { requestId: 'test-request' }

let database: TestDatabase
let ana: Caller
let keys: string[]
let processes: ChildProcess[]

beforeAll(async () => {
  database = await testDatabase()
  await addCustomer(CUSTOMER)
  await addAsset(CUSTOMER, ASSET, { purchased: 0 })
  ana = await callerOf(CUSTOMER, 'it-manager')
  const names = Array.from({ length: PARALLEL + CONDITIONAL }, (_, n) => `Writer ${n}`)
  keys = await Promise.all(names.map((name) => addKey(CUSTOMER, ['it-manager'], { name })))
  processes = [1, 2].map(() => fork(PROGRAM, [database.url], { execArgv: OPTIONS }))
})
afterAll(async () => {
  for (const child of processes) {
    const ended = once(child, 'exit')
    child.send('end')
    await ended
  }
  await database.close()
})

/** All changes of the asset, newest first, by pages that begin and end between changes of one round. */
async function history(): Promise<LicenseChange[]> {
  const found: LicenseChange[] = []
  let pageToken: string | undefined
  do {
    const query = { filter: { asset: [ASSET] }, maxResults: 7, pageToken }
    const { body } = await listLicenseChanges(ana, { params: {}, query, body: undefined }, origin)
    found.push(...body.licenseChanges)
    pageToken = body.pageToken
  } while (pageToken)
  return found
}

/** Sends half of a round's PATCHes by each process, all concurrently. */
async function round(number: number, version: string): Promise<Patched[]> {
  const patches = keys.map((key, n): Patch => {
    const patch = { assetId: ASSET, key, quantity: 100 * (number + 1) + n }
    return n < PARALLEL ? patch : { ...patch, ifMatch: `"${version}.x"` }
  })
  const answers = processes.map(async (child, at) => {
    const answered = once(child, 'message')
    child.send(patches.filter((_, n) => n % processes.length === at))
    const [answer] = await answered
    return answer as Patched[]
  })
  return (await Promise.all(answers)).flat()
}

test(`${ROUNDS} rounds of ${PARALLEL} parallel PATCHes of two processes: the history is in the order of the changes`, {
  timeout: 600_000,
}, async () => {
  const began = Date.now() - 60_000
  const answers: Patched[] = []
  const newest = { mismatches: 0, unlikeLastChange: 0 }
  const asked = { params: { asset_id: ASSET }, query: {}, body: undefined }
  for (let number = 0; number < ROUNDS; number++) {
    const { version } = await readAsset(ana, asked, origin)
    answers.push(...(await round(number, version ?? '')))
    const full = { params: {}, query: { view: 'full' as const }, body: undefined }
    const [item] = (await listAssets(ana, full, origin)).body.assets
    const page = { params: {}, query: { maxResults: 1 }, body: undefined }
    const [event] = (await listLicenseChanges(ana, page, origin)).body.licenseChanges
    if (event?.to !== item?.quantity) newest.mismatches += 1
    if (item?.lastChange?.to !== item?.quantity) newest.unlikeLastChange += 1
  }
  const events = await history()
  const steps = events.toReversed()
  const made = new Set(steps.map(({ to, actor }) => `API key ${actor.name} set ${to}`))
  const outOfOrder = steps.filter(({ from }, n) => from !== (steps[n - 1]?.to ?? 0))
  const refused = answers.filter(({ status }) => status === 412)
  const misnamed = refused.filter(({ body }) => !made.has(`${body.changedBy} set ${body.current}`))
  expect({
    ...newest,
    outOfOrder: outOfOrder.length,
    misnamed: misnamed.map(({ body }) => body.changedBy),
  }).toEqual({ mismatches: 0, unlikeLastChange: 0, outOfOrder: 0, misnamed: [] })
  const purchased = steps.at(-1)?.to ?? 0
  const known = { changes: events, samples: [], now: { purchased, assigned: 0 }, since: began }
  const curve = purchasedSteps(known, { from: began, to: Date.now() + 60_000 })
  expect(curve.map(({ seats }) => seats)).toEqual([0, ...steps.map(({ to }) => to)])
  expect(steps).toHaveLength(answers.filter(({ status }) => status === 200).length)
  expect(refused.length).toBeGreaterThan(0)
})
