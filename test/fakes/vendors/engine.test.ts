import { afterEach, describe, expect, test } from 'vitest'
import type { ControlOrder } from './control.ts'
import { startFake } from './engine.ts'
import type { Fake, FakeOptions } from './fake.ts'
import { FAULTS } from './faults.ts'
import type { Answer, FakeVendor } from './routes.ts'
import type { Written } from './store.ts'

const answerFor = (total: number | undefined): Answer =>
  total === undefined ? { status: 404, body: {} } : { status: 200, body: { total } }

/** A minimal vendor: a shop that sells up to 100. */
const SHOP: FakeVendor<{ note: string }> = {
  label: 'Shop',
  routes: [
    {
      name: 'get',
      kind: 'read',
      method: 'GET',
      path: '/s/:subscription',
      handle: (call, store) => answerFor(store.find(call.subscriptionId ?? '')?.total),
    },
    {
      name: 'put',
      kind: 'write',
      method: 'PUT',
      path: '/s/:subscription',
      handle(call, store) {
        const [id, total] = [call.subscriptionId ?? '', Number(call.text)]
        if (total > 100) return { status: 400, body: { no: 'more than 100' } }
        store.setTotal(id, total, 'client')
        return answerFor(total)
      },
    },
  ],
  fill: ({ vendorFields, ...input }) => ({
    customerId: 'c',
    skuId: 'k',
    total: 10,
    assigned: 0,
    status: 'ACTIVE',
    plan: 'P',
    createdAt: 0,
    ...input,
    vendorFields: { note: '', ...vendorFields },
  }),
  error: (status) => ({ status, body: { no: status } }),
  throttled: (seconds) => ({ status: 429, headers: { 'retry-after': String(seconds) }, body: {} }),
  missing: () => ({ status: 404, body: {} }),
  faults: {
    promise(stage) {
      stage.actLater()
      return { status: 202, body: {} }
    },
  },
}

let fake: Fake<{ note: string }> | undefined
afterEach(async () => {
  await fake?.close()
})

async function shop(options: FakeOptions = {}) {
  fake = await startFake(SHOP, options)
  fake.add({ id: 'a/1' })
  return fake
}

/** Returns the status and total, or how the call ended without a response. */
async function call(url: string, method: string, body?: string) {
  const { number = 0 } = fake?.exchanges.at(-1)?.call ?? {}
  const controller = new AbortController()
  const hangs = () => fake?.exchanges.some(({ call, answer }) => call.number > number && answer === 'hang')
  const poll = setInterval(() => hangs() && controller.abort(), 5)
  try {
    const answer = await fetch(url, { method, body: body ?? null, signal: controller.signal })
    const { total } = (await answer.json()) as { total?: number }
    return total === undefined ? answer.status : [answer.status, total]
  } catch {
    return controller.signal.aborted ? 'hung' : 'cut'
  } finally {
    clearInterval(poll)
  }
}
const put = (to: number) => call(`${fake?.url}/s/a%2F1`, 'PUT', String(to))
const get = () => call(`${fake?.url}/s/a%2F1`, 'GET')
const total = () => fake?.subscription('a/1')?.total

test('stores subscriptions: a write can be read, and every change is known', async () => {
  const { writes, setByVendor } = await shop()
  expect(await put(12)).toEqual([200, 12])
  expect(await get()).toEqual([200, 12])
  setByVendor('a/1', 11)
  expect(await put(101)).toBe(400)
  const at = expect.any(Number)
  const subscriptionId = 'a/1'
  expect(writes).toEqual([
    { subscriptionId, from: 10, to: 12, at, by: 'client' },
    { subscriptionId, from: 12, to: 11, at, by: 'vendor' },
  ])
  expect(await call(`${fake?.url}/nothing`, 'GET')).toBe(404)
})

// Fault, the client's view, the total immediately after, and the final total.
const PLAYED: [string, unknown, number, number][] = [
  ['drop-before', 'cut', 10, 10],
  ['down', 'cut', 10, 10],
  ['hang-before', 'hung', 10, 10],
  ['error-before', 500, 10, 10],
  ['throttle', 429, 10, 10],
  ['reset-after', 'cut', 12, 12],
  ['hang-after', 'hung', 12, 12],
  ['error-after', 503, 12, 12],
  ['late', 'cut', 10, 12],
  ['late-hang', 'hung', 10, 12],
  ['twice', [200, 12], 12, 12],
  ['twice-cut', 'cut', 12, 12],
  ['stale', [200, 12], 12, 12],
  ['promise', 202, 10, 12],
]

describe('faults', () => {
  test.each(PLAYED)('%s of a write has its status and totals', async (fault, seen, first, finally_) => {
    await shop({ choose: ({ kind }) => (kind === 'write' ? fault : undefined), delayMs: 400 })
    expect(await put(12)).toEqual(seen)
    expect(total()).toBe(first)
    await fake?.whenIdle()
    expect(total()).toBe(finally_)
    expect(await get()).toEqual([200, finally_])
  })

  test('are all tested by the table above', () => {
    expect(PLAYED.map(([fault]) => fault).sort()).toEqual([...FAULTS, 'promise'].sort())
  })

  test('a stale read returns the state of so long ago, and no older one', async () => {
    const choose: FakeOptions['choose'] = ({ kind }) => (kind === 'read' ? 'stale' : undefined)
    await shop({ choose, staleMs: 60_000 })
    await put(12)
    expect(await get()).toEqual([200, 10])
    await fake?.close()
    await shop({ choose, staleMs: 0 })
    await put(12)
    expect(await get()).toEqual([200, 12])
  })

  test('apply to a subscription, to one call, or to the whole vendor', async () => {
    const { add, change, failNext, setDown, setFault } = await shop()
    setFault('a/1', 'throttle')
    expect([await put(12), await get()]).toEqual([429, [200, 10]])
    setFault('a/1', { read: 'error-before' })
    expect([await put(12), await get()]).toEqual([[200, 12], 500])
    // The fault stays with the subscription when its id changes.
    change('a/1', { id: 'moved' })
    change('moved', { id: 'a/1' })
    expect(await get()).toBe(500)
    setFault('a/1', undefined)
    failNext('write', 'reset-after')
    expect([await put(13), await put(14)]).toEqual(['cut', [200, 14]])
    setDown(true)
    expect([await put(15), await get()]).toEqual(['cut', 'cut'])
    expect(() => setFault('a/1', 'nonsense')).toThrow('has no fault named nonsense')
    expect(() => setFault('nobody', 'late')).toThrow('no subscription nobody')
    expect(() => add({ id: 'a/1' })).toThrow('taken')
  })
})

test('a write that arrives twice is done twice, and each change knows its call', async () => {
  const started = await shop({ choose: () => 'twice' })
  await put(12)
  expect(started.writes).toMatchObject([
    { from: 10, to: 12 },
    { from: 12, to: 12 },
  ])
  expect(started.writes.map((written) => started.callOf(written)?.text)).toEqual(['12', '12'])
  started.setByVendor('a/1', 11)
  expect(started.callOf(started.writes[2] as Written)).toBeUndefined()
  expect(started.overlaps).toBe(0)
})

test('each step waits for the test, in the order of the requests', async () => {
  const steps: string[] = []
  let goOn = () => {}
  const note = (step: string) => {
    steps.push(`${step} ${total()}`)
    return new Promise<void>((resolve) => {
      goOn = resolve
    })
  }
  await shop({ onStep: note })
  /** Expects each step to be the only one until the test lets it go on. */
  const follow = async (expected: string[]) => {
    for (const step of expected) {
      await expect.poll(() => steps).toEqual([step])
      expect(total()).toBe(Number(step.split(' ')[1]))
      steps.length = 0
      goOn()
    }
  }
  const wrote = put(12)
  await follow(['write-arrived 10', 'write-applied 12', 'write-answered 12'])
  expect(await wrote).toEqual([200, 12])
  const got = get()
  await follow(['read-arrived 12', 'read-answered 12'])
  expect(await got).toEqual([200, 12])
  const rejected = put(101)
  await follow(['write-arrived 12', 'write-answered 12'])
  expect(await rejected).toBe(400)
})

test('counts overlapping writes, including those that are done late', async () => {
  const started = await shop({ choose: ({ text }) => (text === '12' ? 'late' : undefined), delayMs: 700 })
  await put(12)
  await put(13)
  expect(started.overlaps).toBe(1)
  await started.whenIdle()
  expect(total()).toBe(12)
  await put(14)
  expect(started.overlaps).toBe(1)
})

test('another process can control the fake', async () => {
  await shop()
  const order = async (body: ControlOrder, type = 'application/json') => {
    const init = { method: 'POST', headers: { 'content-type': type }, body: JSON.stringify(body) }
    const answer = await fetch(`${fake?.url}/_control`, init)
    return { status: answer.status, ...(answer.ok ? ((await answer.json()) as object) : {}) } as Answer
  }
  const added = await order({
    do: 'add',
    subscription: { id: 'b', total: 3, vendorFields: { note: 'x' } },
    fault: 'late',
  })
  expect(added).toMatchObject({
    status: 200,
    label: 'Shop',
    subscriptions: [{ id: 'a/1' }, { id: 'b', total: 3 }],
  })
  expect(await order({ do: 'set', id: 'b', total: 4 })).toMatchObject({
    writes: [{ from: 3, to: 4, by: 'vendor' }],
  })
  await order({ do: 'change', id: 'b', patch: { id: 'c', status: 'SUSPENDED' }, vendorFields: { note: 'y' } })
  expect(fake?.subscription('c')).toMatchObject({
    total: 4,
    status: 'SUSPENDED',
    vendorFields: { note: 'y' },
  })
  await order({ do: 'fail-next', kind: 'read', fault: 'throttle' })
  expect(await get()).toBe(429)
  await order({ do: 'fault', id: 'a/1', fault: { read: 'error-before' } })
  expect(await get()).toBe(500)
  expect(await order({ do: 'down', down: true })).toMatchObject({ down: true })
  expect(await get()).toBe('cut')
  expect(await order({ do: 'fault', id: 'b', fault: 'nonsense' })).toMatchObject({ status: 400 })
  expect(await order({ do: 'set', id: 'nobody', total: 4 })).toMatchObject({ status: 400 })
  expect(await order({ do: 'down', down: false }, 'text/plain')).toMatchObject({ status: 405 })
})

test("reports errors of the test's own functions at the end", async () => {
  const started = await shop({
    onStep() {
      throw new Error('my mistake')
    },
  })
  expect(await get()).toBe('cut')
  await expect(started.close()).rejects.toThrow('my mistake')
  fake = undefined
})
