import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { reconcileOpenChanges } from '#lib/licenses/license-changes/jobs.ts'
import { resolveByHand } from '#lib/licenses/license-changes/settle-by-hand.ts'
import { type TestVendor, testVendor } from '#lib/licenses/license-changes/test-vendor.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { log } from '#lib/platform/runtime/log.ts'
import { google } from '../../test/fuzz/scenarios.ts'
import { CUSTOMER } from '../../test/fuzz/stage.ts'
import { commandLine } from './test-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-changes-'))
let vendor: TestVendor
const { admin } = commandLine(() => vendor.database.url, folder)
beforeAll(async () => {
  vendor = await testVendor(google, { assets: 12 })
})
afterAll(async () => {
  await vendor.close()
  rmSync(folder, { recursive: true })
})

let used = 0
const nextSeed = () => vendor.stage.seeds[used++] as TestVendor['flexible']

/** Loses the answer of a change, and then another user moves the total. @returns the change's id */
async function lost(isReconciled: boolean, headers = {}) {
  const seed = nextSeed()
  const { fake, patch, changes, waitUntilResolved } = vendor
  fake.failNext('write', 'drop-before')
  expect((await patch(seed, 30, { headers })).status).toBe(504)
  fake.setByVendor(seed.id, 26)
  if (isReconciled) await waitUntilResolved(seed)
  return { seed, id: String((await changes(seed))[0]?.id) }
}
const listed = async (args = '') => {
  const { out } = await admin(`changes list --json${args}`)
  return (out === '' ? [] : JSON.parse(out)) as { id: string; state: string; customer: string }[]
}

describe('changes list', () => {
  test('lists open and unclear changes of all customers, without settled ones', async () => {
    const [unclear, unknown] = [await lost(true), await lost(false)]
    const listMine = async (args?: string) => {
      const ids = [unclear.id, unknown.id]
      return (await listed(args)).filter(({ id }) => ids.includes(id)).map(({ id, state }) => [id, state])
    }
    const [one, two] = [
      [unclear.id, 'UNCLEAR'],
      [unknown.id, 'UNKNOWN'],
    ]
    expect(await listMine()).toEqual([one, two])
    expect(await listMine(' --open')).toEqual([two])
    expect(await listMine(' --unclear')).toEqual([one])
    expect(await listMine(` --customer ${CUSTOMER}`)).toEqual([one, two])
    expect(await listMine(' --older-than 1h')).toEqual([])
    expect((await admin('changes list --older-than soon')).code).toBe(2)
    expect((await admin('changes list --customer nobody')).code).toBe(1)
    await vendor.waitUntilResolved(unknown.seed)
  })
})

describe('changes show', () => {
  test('shows each vendor call and actor, to operators only', async () => {
    const { seed, id } = await lost(true)
    const { out } = await admin(`changes show ${id}`)
    expect(out).toMatch(/1 +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +Writer 0 +30 +unknown +\d+ ms/)
    for (const action of ['claimed', 'sent', 'unknown', 'unclear'])
      expect(out).toContain(`license-change.${action}`)
    expect(out).toContain(`\nAt the vendor: customer ${seed.customerId}, subscription ${seed.id}, SKU `)
    expect(out).toContain('We can’t tell')
    const printed = JSON.parse((await admin(`changes show ${id} --json`)).out)
    expect(printed).toMatchObject({ change: { id }, calls: [{ call: 1 }], events: expect.any(Array) })
    expect((await admin('changes show nothing')).err).toContain('No change nothing is waiting')
  })

  test('shows the vendor’s answer and id, of settled changes as well', async () => {
    const seed = nextSeed()
    vendor.fake.failNext('write', 'terms')
    await vendor.patch(seed, 30)
    const id = (await vendor.changes(seed))[0]?.id
    expect((await admin(`changes show ${id} --customer ${CUSTOMER}`)).out).toMatch(
      / rejected .*terms of service/,
    )
  })
})

describe('changes settle', () => {
  const reconcile = (id: string, as: string, reason = 'seen in the console') =>
    admin(`changes settle ${id} --as ${as} --reason`, '', [reason])

  test.each([
    ['applied', 'APPLIED'],
    ['failed', 'FAILED'],
  ])('settles a change as %s with reason and operator name, and reads the vendor', async (as, state) => {
    const headers = { 'idempotency-key': as }
    const { seed, id } = await lost(true, headers)
    expect((await vendor.patch(seed, 30, { headers })).code).toBe('outcome_unknown')
    expect((await reconcile(id, as)).err).toContain(`is settled as ${as}`)
    const [change] = await vendor.changes(seed)
    expect(change).toMatchObject({ id, state, reason: 'Settled by hand: seen in the console' })
    const query = 'SELECT actor_name AS who FROM audit_events WHERE subject = $1 AND action = $2'
    const audit = await vendor.database.sql(CUSTOMER, query, [id, `license-change.${as}`])
    expect(audit).toEqual([{ who: 'Operator' }])
    // Its key still works: it replays the answer, or runs again.
    expect((await vendor.patch(seed, 30, { headers })).status).toBe(200)
    expect((await vendor.changes(seed)).length).toBe(as === 'applied' ? 2 : 3)
  })

  test('settles once: parallel and later commands are refused', async () => {
    const { seed, id } = await lost(true)
    const ends = await Promise.allSettled(
      (['APPLIED', 'FAILED'] as const).map((as) =>
        resolveByHand(newCustomerId(CUSTOMER), id, { as, reason: 'x' }),
      ),
    )
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await admin(`changes settle ${id} --as failed --reason x --customer ${CUSTOMER}`)).err).toContain(
      'nothing to settle',
    )
    expect((await vendor.states(seed)).filter((state) => state !== 'DRIFT')).toHaveLength(1)
  })

  test('refuses within the vendor’s settle time, and without reason or outcome', async () => {
    const { id, seed } = await lost(false)
    expect((await reconcile(id, 'failed')).err).toMatch(/Google Workspace may still do it until .* UTC/)
    expect((await reconcile(id, 'perhaps')).code).toBe(2)
    expect((await reconcile(id, 'failed', ' ')).code).toBe(2)
    await vendor.waitUntilResolved(seed)
  })
})

test('Each run of the job warns of changes that are open for longer than their vendor’s settle time', async () => {
  const { seed, id } = await lost(false)
  vendor.fake.setFault(seed.id, { read: 'no-json' })
  const warn = vi.spyOn(log(), 'warn')
  const warned = () => warn.mock.calls.filter(([entry]) => (entry as { changeId?: string }).changeId === id)
  await reconcileOpenChanges('early')
  expect(warned()).toEqual([])
  await vi.waitFor(
    async () => {
      await reconcileOpenChanges('job')
      expect(warned().length).toBeGreaterThan(1)
    },
    { timeout: 8000, interval: 200 },
  )
  expect(warned()[0]?.[0]).toMatchObject({
    customerId: CUSTOMER,
    vendor: 'google-workspace',
    account: 'default',
    state: 'UNKNOWN',
    reading: 'The answer from Google could not be understood.',
  })
  warn.mockRestore()
})
