import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { CONFIRMATION_MS, issueConfirmation, pruneConfirmations } from '#lib/platform/api/confirmations.ts'
import { findKeyCaller } from '#lib/platform/caller/authenticate.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addInvoice, addKey, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { seal } from '#lib/platform/runtime/secrets.ts'
import { accepted, callTool } from './test-client.ts'

const SET = 'set_license_quantity'
const [FLEXIBLE, COMMITTED] = ['workspace-suite-1', 'workspace-suite-2']
const YEAR_MS = 365 * 86_400_000
const begin = new Date(Date.now() - YEAR_MS / 2)
const end = new Date(Date.now() + YEAR_MS / 2)

let database: TestDatabase
let [customer, key] = ['', '']
beforeAll(async () => {
  vi.stubEnv('BASE_URL', 'http://console.example')
  for (const name of ['REQUESTS', 'CHANGES']) vi.stubEnv(`RATE_LIMIT_${name}`, '100000')
  database = await testDatabase()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.close()
})
beforeEach(async () => {
  customer = await withAssets()
  key = await addKey(customer, ['it-manager'])
})

async function withAssets(): Promise<string> {
  const id = await addNewCustomer()
  await addAsset(id, FLEXIBLE, { purchased: 10, assigned: 4 }, { name: 'Mail' })
  const term = { isCommitmentPlan: true, commitmentEnd: end }
  const plan = {
    name: 'Suite',
    planName: 'ANNUAL_MONTHLY_PAY',
    commitmentStart: begin,
    renewalType: 'AUTO_RENEW',
  }
  await addAsset(id, COMMITTED, { purchased: 20, assigned: 5, ...term }, plan)
  return id
}

const UNCLEAR_CHANGE = `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state,
  actor_kind, actor_id, actor_name, request_id, sent_at, settled_at)
  VALUES ($1, 'C1', $2, 10, 12, 'UNCLEAR', 'key', 'K', 'K', 'r', now(), now())`

type Args = Record<string, unknown>
type Confirming = { content?: boolean | string | undefined; by?: string }
const setArgs = (quantity: number, asset_id = FLEXIBLE) => ({ asset_id, quantity })
const preview = (tool: string, args: Args, by = key) => callTool(by, tool, args)
const confirm = (tool: string, args: Args, requestState: string, { content, by = key }: Confirming = {}) =>
  callTool(by, tool, args, { requestState, ...accepted(content) })
async function make(tool: string, args: Args, content?: boolean | string) {
  const { requestState = '' } = await preview(tool, args)
  return confirm(tool, args, requestState, { content })
}
/** Everything that a change could change. */
const state = async (id = customer) =>
  JSON.stringify(
    await Promise.all(
      [
        'SELECT id, seats_purchased, seat_version, scheduled_total FROM assets ORDER BY id',
        'SELECT id, state, to_quantity, acknowledged_at FROM license_changes ORDER BY id',
        'SELECT id, state FROM renewal_orders ORDER BY id',
      ].map((query) => database.sql(id, query)),
    ),
  )

describe('a new total', () => {
  test('is previewed with difference, cost and conditions, and made only when the person confirms', async () => {
    await addInvoice(
      customer,
      'IN-1',
      { platform: 'workspace-suite', invoiceDate: '2026-10-31', dueDate: '2099-01-01' },
      [{ description: 'Business Plus', price: '18', qty: '10' }],
    )
    const before = await state()
    const previewed = await preview(SET, setArgs(12))
    expect(previewed.message).toContain('Set the licenses of "Mail" from 10 to 12 (+2)?')
    expect(previewed.message).toContain('can be changed again at any time')
    expect(previewed.message).toMatch(/36\.00 USD more per billing period, at the price last billed on/)
    expect(await state()).toBe(before)
    const made = await confirm(SET, setArgs(12), previewed.requestState ?? '')
    expect(made.body).toMatchObject({ properties: { subscription: { Seats: { NumberOfSeats: 12 } } } })
    const events = await database.sql(
      customer,
      "SELECT actor_kind FROM audit_events WHERE action LIKE 'license_change%'",
    )
    expect(events).toEqual([{ actor_kind: 'key' }])
  })

  test('has to be typed where the increase is large and cannot be undone', async () => {
    const previewed = await preview(SET, setArgs(90, COMMITTED))
    expect(previewed.message).toContain('cannot be undone before')
    const token = previewed.requestState ?? ''
    for (const typed of [true, '', '9', '900', 'ninety'])
      expect((await confirm(SET, setArgs(90, COMMITTED), token, { content: typed })).body.reason).toBe(
        'not_typed',
      )
    expect((await confirm(SET, setArgs(90, COMMITTED), token, { content: '90' })).isError).toBe(false)
  })

  test('that the plan forbids is the problem of the API, without a question', async () => {
    const { isError, body, requestState } = await preview(SET, setArgs(19, COMMITTED))
    expect([isError, body.code, body.minimum, requestState]).toEqual([
      true,
      'decrease_not_allowed',
      20,
      undefined,
    ])
  })

  test('is shown after the beginning of a long name, which would hide it', async () => {
    await addAsset(customer, 'workspace-suite-3', { purchased: 10 }, { name: 'x'.repeat(2000) })
    const { message } = await preview(SET, setArgs(12, 'workspace-suite-3'))
    expect(message?.slice(0, 180)).toContain('x…" from 10 to 12 (+2)?')
  })

  test('that is the present one changes nothing and asks nothing', async () => {
    const { isError, requestState } = await preview(SET, setArgs(10))
    expect([isError, requestState]).toEqual([false, undefined])
  })

  test('is not made where the person declines, and its confirmation is used up', async () => {
    const before = await state()
    const { requestState = '' } = await preview(SET, setArgs(12))
    for (const response of [{ action: 'decline' }, { action: 'accept', content: { confirm: true } }]) {
      const answer = await callTool(key, SET, setArgs(12), {
        requestState,
        inputResponses: { confirmation: response },
      })
      expect(answer.body.code).toBe('confirmation_refused')
    }
    expect(await state()).toBe(before)
  })

  test('of a closed customer is refused as by the API', async () => {
    const { requestState = '' } = await preview(SET, setArgs(12))
    const before = await state()
    await run(
      database.url,
      `SET console.operated = '${customer}';
       UPDATE customers SET closed_at = now(), gone_at = now() + interval '30 days' WHERE id = '${customer}'`,
    )
    for (const answer of [await confirm(SET, setArgs(12), requestState), await preview(SET, setArgs(13))])
      expect([answer.isError, answer.body.code]).toEqual([true, 'customer_closed'])
    expect(await state()).toBe(before)
  })
})

describe('an order for the next term', () => {
  const ORDER = 'order_renewal'

  test('is shown, made, and taken back, each after a confirmation', async () => {
    const before = await state()
    const previewed = await preview(ORDER, setArgs(15, COMMITTED))
    expect(previewed.message).toContain('Order 15 licenses for the next term of "Suite" (now 20)?')
    expect(await state()).toBe(before)
    const made = await confirm(ORDER, setArgs(15, COMMITTED), previewed.requestState ?? '')
    expect(made.body).toMatchObject({ order: { quantity: 15, state: 'STANDING' } })
    const withdrawal = await preview('withdraw_renewal_order', { asset_id: COMMITTED })
    expect(withdrawal.message).toContain('"Suite": 15 licenses?')
    const back = await confirm(
      'withdraw_renewal_order',
      { asset_id: COMMITTED },
      withdrawal.requestState ?? '',
    )
    expect(back.body).toMatchObject({ lastOrder: { state: 'WITHDRAWN' } })
  })

  test('that the vendor does not take is the problem of the API, and nothing is ordered', async () => {
    const before = await state()
    for (const args of [
      { ...setArgs(15) },
      { asset_id: COMMITTED, renewalType: 'MONTHLY' },
      { asset_id: COMMITTED, action: 'cancel' },
    ]) {
      const { isError, body } = await preview(ORDER, args)
      expect([isError, body.code]).toEqual([true, 'renewal_not_supported'])
    }
    expect((await preview(ORDER, { asset_id: COMMITTED })).body.code).toBe('invalid_request')
    expect(await state()).toBe(before)
  })

  test('is refused where another one was placed since, or the seats have changed', async () => {
    const first = await preview(ORDER, setArgs(15, COMMITTED))
    await make(ORDER, setArgs(16, COMMITTED))
    const before = await state()
    expect((await confirm(ORDER, setArgs(15, COMMITTED), first.requestState ?? '')).body.code).toBe(
      'version_mismatch',
    )
    const second = await preview(ORDER, setArgs(17, COMMITTED))
    expect(await state()).toBe(before)
    await make(SET, setArgs(21, COMMITTED))
    const changed = await state()
    expect((await confirm(ORDER, setArgs(17, COMMITTED), second.requestState ?? '')).body.reason).toBe(
      'stale',
    )
    expect(await state()).toBe(changed)
  })
})

test('an unclear change is acknowledged after a confirmation, once', async () => {
  await database.sql(customer, UNCLEAR_CHANGE, [customer, FLEXIBLE])
  const before = await state()
  const previewed = await preview('acknowledge_license_change', { change_id: 'C1' })
  expect(previewed.message).toContain('unclear change of "Mail" from 10 to 12')
  expect(await state()).toBe(before)
  const made = await confirm('acknowledge_license_change', { change_id: 'C1' }, previewed.requestState ?? '')
  expect(made.body).toMatchObject({ state: 'UNCLEAR', acknowledged: { actor: { name: 'test' } } })
  const again = await confirm('acknowledge_license_change', { change_id: 'C1' }, previewed.requestState ?? '')
  expect(again.body.reason).toBe('used')
})

describe('hostile confirmations', () => {
  const ROUNDS = 28
  const PER_ROUND = 13
  const INVALID_PARAMS = -32602

  test(`change nothing: ${ROUNDS * (PER_ROUND + 5)} of them, and of parallel ones a single one counts`, async () => {
    const otherCustomer = await withAssets()
    const colleague = await addKey(customer, ['admin'])
    const foreignKey = await addKey(otherCustomer, ['admin'])
    const caller = (await findKeyCaller(digestOf(key))) as Caller
    let [sent, applied] = [0, 0]
    for (let round = 1; round <= ROUNDS; round++) {
      const quantity = 10 + round
      const args = setArgs(quantity)
      const tokenFor = async (input: Args, tool = SET, by = key) =>
        (await preview(tool, input, by)).requestState ?? ''
      const stale = await tokenFor(args)
      const used = await tokenFor(args)
      const parallel = await Promise.all(Array.from({ length: 6 }, () => confirm(SET, args, used)))
      expect(parallel.filter(({ isError }) => !isError)).toHaveLength(1)
      applied += 1
      const before = [await state(), await state(otherCustomer)]
      const next = setArgs(quantity + 500)
      const expired = issueConfirmation(
        { caller, tool: SET, args: next },
        { seatVersion: '1' },
        Date.now() - CONFIRMATION_MS,
      )
      const fresh = await tokenFor(next)
      const middle = Math.floor(fresh.length / 2)
      const tampered = fresh.slice(0, middle) + (fresh[middle] === 'A' ? 'B' : 'A') + fresh.slice(middle + 1)
      const hostile: [reason: string | number, answer: Awaited<ReturnType<typeof confirm>>][] = [
        ['used', await confirm(SET, args, used)],
        ['used', await confirm(SET, args, used, { content: 'x' })],
        ['version_mismatch', await confirm(SET, args, stale)],
        ['expired', await confirm(SET, next, expired)],
        [INVALID_PARAMS, await confirm(SET, next, tampered)],
        [INVALID_PARAMS, await confirm(SET, next, '')],
        ['other_caller', await confirm(SET, next, fresh, { by: colleague })],
        ['other_caller', await confirm(SET, next, fresh, { by: foreignKey })],
        ['other_arguments', await confirm(SET, setArgs(quantity + 500, COMMITTED), fresh)],
        ['other_arguments', await confirm(SET, setArgs(quantity + 501), fresh)],
        ['other_arguments', await confirm('order_renewal', next, fresh)],
        ['other_arguments', await confirm(SET, { ...next, quantity: String(next.quantity) }, fresh)],
        [INVALID_PARAMS, await confirm(SET, next, seal(JSON.stringify({}), { purpose: 'page tokens' }))],
      ]
      expect(hostile.map(([, { isError, body }]) => (isError ? (body.reason ?? body.code) : 'made'))).toEqual(
        hostile.map(([reason]) => reason),
      )
      sent += hostile.length
      expect([await state(), await state(otherCustomer)]).toEqual(before)
    }
    expect(sent + 5 * ROUNDS).toBeGreaterThanOrEqual(500)
    const [{ n } = { n: 0 }] = await database.sql(customer, 'SELECT count(*)::int AS n FROM license_changes')
    expect(n).toBe(applied)
  })

  test('of one change, each with a preview of its own, make it once', async () => {
    const tokens = await Promise.all(Array.from({ length: 8 }, () => preview(SET, setArgs(12))))
    const answers = await Promise.all(
      tokens.map(({ requestState = '' }) => confirm(SET, setArgs(12), requestState)),
    )
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1)
    const made = "SELECT from_quantity, to_quantity FROM license_changes WHERE state = 'APPLIED'"
    expect(await database.sql(customer, made)).toEqual([{ from_quantity: 10, to_quantity: 12 }])
  })

  test('of each tool are refused for every other tool, asset and argument, and used once', async () => {
    await database.sql(customer, UNCLEAR_CHANGE, [customer, FLEXIBLE])
    const calls: [tool: string, args: Args][] = [
      [SET, setArgs(30, COMMITTED)],
      ['order_renewal', setArgs(30, COMMITTED)],
      ['order_renewal', { asset_id: COMMITTED, quantity: 31 }],
      ['acknowledge_license_change', { change_id: 'C1' }],
    ]
    const tokens = await Promise.all(
      calls.map(async ([tool, args]) => (await preview(tool, args)).requestState ?? ''),
    )
    await make('order_renewal', setArgs(25, COMMITTED))
    calls.push(['withdraw_renewal_order', { asset_id: COMMITTED }])
    tokens.push((await preview('withdraw_renewal_order', { asset_id: COMMITTED })).requestState ?? '')
    const before = await state()
    for (const [at, [tool, args]] of calls.entries())
      for (const [other, token] of tokens.entries()) {
        const { body } = other === at ? {} : await confirm(tool, args, token)
        expect([tool, other, body?.reason]).toEqual([
          tool,
          other,
          other === at ? undefined : 'other_arguments',
        ])
      }
    expect(await state()).toBe(before)
    const withdraw = () => confirm('withdraw_renewal_order', { asset_id: COMMITTED }, tokens.at(-1) ?? '')
    const answers = await Promise.all([withdraw(), withdraw(), withdraw()])
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1)
  })

  test('of a key that was ended, or has lost its role, are refused', async () => {
    const { requestState = '' } = await preview(SET, setArgs(12))
    const before = await state()
    await database.sql(customer, "UPDATE api_keys SET roles = '{finance-user}' WHERE customer_id = $1", [
      customer,
    ])
    expect((await confirm(SET, setArgs(12), requestState)).body.code).toBe('permission_denied')
    await database.sql(customer, 'UPDATE api_keys SET revoked_at = now() WHERE customer_id = $1', [customer])
    expect((await confirm(SET, setArgs(12), requestState)).body.code).toBe('unauthenticated')
    expect(await state()).toBe(before)
  })
})

test('used confirmations are removed when they have expired long ago', async () => {
  await database.sql(
    customer,
    `INSERT INTO used_confirmations (customer_id, id, created_at) VALUES ($1, 'old', now() - interval '61 minutes'), ($1, 'new', now())`,
    [customer],
  )
  const customerId = customer as CustomerId
  expect(await scope({ customerId }, (tx) => pruneConfirmations(tx, customerId))).toBe(1)
  expect(await database.sql(customer, 'SELECT id FROM used_confirmations')).toEqual([{ id: 'new' }])
})
