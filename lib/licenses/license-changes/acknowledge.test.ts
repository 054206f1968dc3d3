import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { route } from '#lib/platform/api/endpoint.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, addKey, callerOf } from '#lib/platform/db/test-rows.ts'
import type { Step } from '../../../test/fakes/vendors/fake.ts'
import { google } from '../../../test/fuzz/scenarios.ts'
import { CUSTOMER } from '../../../test/fuzz/stage.ts'
import { acknowledgeLicenseChange } from './operations.ts'
import { resolveByHand } from './settle-by-hand.ts'
import { type TestVendor, testVendor } from './test-vendor.ts'

// A customer acknowledges an unclear change: permissions, the stored acknowledgement and its effects.

const endpoint = route(acknowledgeLicenseChange)

async function put(id: string, key: string | undefined, body?: string) {
  const url = `http://console.example/billing/v1/license-changes/${id}/acknowledgement`
  const headers = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': `${body.length}` }),
  }
  const request = new Request(url, { method: 'PUT', headers, ...(body === undefined ? {} : { body }) })
  const response = await endpoint.PUT(request)
  const json = await response.json()
  return { status: response.status, code: json.code ?? response.status, json, headers: response.headers }
}

describe('the call', () => {
  let database: TestDatabase
  const keys = { it: '', admin: '', finance: '', none: '', other: '' }
  beforeAll(async () => {
    database = await testDatabase()
    for (const customer of ['northwind', 'southwind']) await addCustomer(customer)
    keys.it = await addKey('northwind', ['it-manager'], { id: 'K-it', name: 'joiners-sync' })
    keys.admin = await addKey('northwind', ['admin'])
    keys.finance = await addKey('northwind', ['finance-user'])
    keys.none = await addKey('northwind', [])
    keys.other = await addKey('southwind', ['admin'])
    // A local record never has an open change: this row is written as a remote vendor would leave it.
    await addAsset('northwind', 'workspace-suite-1', { purchased: 20 })
  })
  afterAll(() => database.close())
  async function change(id: string, state: string): Promise<string> {
    const settledAt = ['CLAIMED', 'SENT', 'UNKNOWN'].includes(state) ? null : '2026-11-02T10:00:00Z'
    await database.sql(
      'northwind',
      `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, actor_kind, actor_id,
         actor_name, request_id, settled_at)
       VALUES ('northwind', $1, 'workspace-suite-1', 20, 30, $2, 'key', 'K1', 'nightly', 'r', $3)`,
      [id, state, settledAt],
    )
    return id
  }
  const events = (id: string) =>
    database.sql(
      'northwind',
      'SELECT action, actor_kind AS kind, actor_name AS name, details FROM audit_events WHERE subject = $1',
      [id],
    )

  test('is for who may change licenses, of the own customer', async () => {
    const id = await change('by-role', 'UNCLEAR')
    expect((await put(id, undefined)).code).toBe('unauthenticated')
    expect((await put(id, keys.finance)).code).toBe('permission_denied')
    expect((await put(id, keys.none)).code).toBe('permission_denied')
    expect((await put(id, keys.other)).code).toBe('not_found')
    expect((await put('nothing', keys.admin)).code).toBe('not_found')
    expect(await events(id)).toEqual([])
    expect((await put(id, keys.admin)).status).toBe(200)
  })

  test('keeps who and when, and tells both; once more changes nothing, whoever asks', async () => {
    const id = await change('twice', 'UNCLEAR')
    const first = await put(id, keys.it)
    expect([first.status, first.json]).toMatchObject([
      200,
      {
        id,
        state: 'UNCLEAR',
        acknowledged: { actor: { kind: 'key', id: 'K-it', name: 'joiners-sync' }, time: expect.any(Number) },
      },
    ])
    expect((await put(id, keys.it, '{}')).json).toEqual(first.json)
    expect((await put(id, keys.admin)).json).toEqual(first.json)
    const details = { assetId: 'workspace-suite-1', from: 20, to: 30 }
    expect(await events(id)).toEqual([
      { action: 'license-change.acknowledged', kind: 'key', name: 'joiners-sync', details },
    ])
  })

  test('of two at the same time, one is kept', async () => {
    const id = await change('at-once', 'UNCLEAR')
    const [one, two] = await Promise.all([put(id, keys.it), put(id, keys.admin)])
    expect([one.status, two.status, two.json]).toEqual([200, 200, one.json])
    expect(await events(id)).toHaveLength(1)
  })

  test.each(['APPLIED', 'REJECTED', 'FAILED', 'DRIFT', 'RECORDED'])(
    'has nothing to do where it is %s',
    async (state) => {
      const id = await change(`is-${state}`, state)
      const { status, code, json } = await put(id, keys.it)
      expect([status, code, json.detail]).toEqual([
        409,
        'change_settled',
        `This change is ${state}: there is nothing to acknowledge.`,
      ])
      expect(await events(id)).toEqual([])
    },
  )

  test('is too early while the change is open', async () => {
    const id = await change('is-open', 'UNKNOWN')
    const { status, code, json, headers } = await put(id, keys.it)
    expect([status, code, json.changeId, headers.get('retry-after')]).toEqual([
      409,
      'change_in_progress',
      id,
      '2',
    ])
  })

  test('takes no fields', async () => {
    const id = await change('fields', 'UNCLEAR')
    expect((await put(id, keys.it, '{"by":"me"}')).json).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/by', detail: 'is not a known field' }],
    })
  })

  test('is kept in whole or not at all', async () => {
    const id = await change('in-part', 'UNCLEAR')
    const query = 'UPDATE license_changes SET acknowledged_at = now() WHERE id = $1'
    await expect(database.sql('northwind', query, [id])).rejects.toThrow('license_changes_acknowledged')
  })
})

describe('a change whose answer was lost at a vendor', () => {
  let vendor: TestVendor
  const headers = { 'idempotency-key': 'lost' }
  let lost: string
  const acknowledge = () => put(lost, vendor.stage.keys[1])
  beforeEach(async () => {
    let isMoved = false
    const onStep = (step: Step) => {
      if (step !== 'write-applied' || isMoved) return
      isMoved = true
      vendor.fake.setByVendor(vendor.flexible.id, 26)
    }
    vendor = await testVendor(google, { options: { onStep } })
    vendor.fake.failNext('write', 'reset-after')
    await vendor.patch(vendor.flexible, 30, { headers })
    await vendor.waitUntilResolved(vendor.flexible)
    const [change] = await vendor.changes(vendor.flexible)
    expect(change?.state).toBe('UNCLEAR')
    lost = String(change?.id)
  })
  afterEach(() => vendor.close())

  test('once it is acknowledged, a repeat with its key is decided anew on a fresh read, and its answer kept', async () => {
    expect((await vendor.patch(vendor.flexible, 30, { headers })).code).toBe('outcome_unknown')
    expect((await acknowledge()).json.state).toBe('UNCLEAR')
    vendor.fake.setByVendor(vendor.flexible.id, 27)
    expect((await vendor.patch(vendor.flexible, 30, { headers })).status).toBe(200)
    expect((await vendor.patch(vendor.flexible, 30, { headers })).status).toBe(200)
    expect(await vendor.changes(vendor.flexible)).toMatchObject([
      { state: 'UNCLEAR' },
      { state: 'DRIFT', from: 20, to: 26 },
      { state: 'DRIFT', from: 26, to: 27 },
      { state: 'APPLIED', from: 27, to: 30 },
    ])
    expect(vendor.writes(vendor.flexible)).toHaveLength(2)
  })

  test('the vendor has the total by now: the repeat buys nothing', async () => {
    await acknowledge()
    vendor.fake.setByVendor(vendor.flexible.id, 30)
    expect((await vendor.patch(vendor.flexible, 30, { headers })).status).toBe(200)
    expect(vendor.writes(vendor.flexible)).toHaveLength(1)
  })

  test('an operator settles it all the same, and its key answers by that', async () => {
    const first = await acknowledge()
    await resolveByHand((await callerOf(CUSTOMER, 'admin')).customerId, lost, {
      as: 'APPLIED',
      reason: 'seen',
    })
    expect((await acknowledge()).json).toMatchObject({
      state: 'APPLIED',
      acknowledged: first.json.acknowledged,
    })
    expect((await vendor.patch(vendor.flexible, 30, { headers })).status).toBe(200)
    expect(vendor.writes(vendor.flexible)).toHaveLength(1)
  })

  test('a customer and the operator at the same time: no deadlock, and one order of what happened', async () => {
    const { customerId } = await callerOf(CUSTOMER, 'admin')
    const [result] = await Promise.all([
      acknowledge(),
      resolveByHand(customerId, lost, { as: 'FAILED', reason: 'nothing there' }),
    ])
    const audit = (await vendor.audit(vendor.flexible)).filter((action) =>
      ['acknowledged', 'failed'].includes(action),
    )
    expect([result.code, audit]).toEqual(
      result.status === 200 ? [200, ['acknowledged', 'failed']] : ['change_settled', ['failed']],
    )
  })

  test('it waits for who has the asset’s row, and has not locked the change before', async () => {
    const { customerId } = await callerOf(CUSTOMER, 'admin')
    const asset = vendor.assetId(vendor.flexible)
    const event = await scope({ customerId }, async (tx) => {
      await tx.execute(`SELECT 1 FROM assets WHERE id = '${asset}' FOR NO KEY UPDATE`)
      const waiting = acknowledge()
      await vi.waitFor(async () => {
        const blocked = 'SELECT 1 FROM pg_locks WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))'
        expect((await tx.execute(blocked)).rows).not.toEqual([])
      })
      // Had it locked the change first, each would wait for the other now.
      await tx.execute(`UPDATE license_changes SET vendor_reason = 'looked at' WHERE id = '${lost}'`)
      return { waiting }
    })
    expect((await event.waiting).json).toMatchObject({ vendorReason: 'looked at', acknowledged: {} })
  })
})
