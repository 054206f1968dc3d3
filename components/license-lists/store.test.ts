import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { newPlan } from './check.ts'
import { asListed, confirmed, type PlanRow } from './plan.ts'
import { createBulk } from './store.ts'

/** As much of a browser as keeps things. */
function storage(isFull = false): Record<string, string> {
  const kept: Record<string, string> = {}
  const own = {
    getItem: (name: string) => kept[name] ?? null,
    setItem: (name: string, value: string) => {
      if (isFull) throw new DOMException('It is full.', 'QuotaExceededError')
      kept[name] = value
    },
    removeItem: (name: string) => delete kept[name],
  }
  for (const [name, value] of Object.entries(own)) Object.defineProperty(kept, name, { value })
  return kept
}

let kept: Record<string, string>
beforeEach(() => {
  kept = storage()
  vi.stubGlobal('window', {})
  vi.stubGlobal('localStorage', kept)
})
afterAll(() => {
  vi.unstubAllGlobals()
})

const targets = [1, 2, 3].map((line) => ({ line, assetId: `a-${line}`, quantity: line }))
const allowed = {
  state: 'allowed',
  facts: { status: 'ACTIVE', isCommitmentPlan: false, purchased: 9 },
} as const

/** A member's list of three that is confirmed, with these states. */
function begun(member: string, ...states: PlanRow['state'][]) {
  const bulk = createBulk(member)
  bulk.type('the list')
  const plan = newPlan({ targets, skipped: 0, faults: [] })
  bulk.put(confirmed({ ...plan, rows: plan.rows.map((row) => ({ ...row, ...allowed })) }))
  for (const [at, state] of states.entries()) bulk.row(`a-${at + 1}`, { state })
  return bulk
}

test('what is typed is there again after a reload, for its member only; nobody else finds it', () => {
  createBulk('ana').type('a-1,5')
  expect(createBulk('ana').state()).toMatchObject({ draft: 'a-1,5', plan: undefined })
  expect(createBulk('ida').state().draft).toBe('')
  expect(Object.keys(kept)).toEqual([])
})

test('a confirmed list goes on with its keys; what was being sent is not known', () => {
  const first = begun('ana', 'done', 'sending')
  const keys = first.state().plan?.rows.map(({ key }) => key)
  const { plan, found } = createBulk('ana').state()
  expect(found).toBe(true)
  expect(plan?.rows.map(({ state }) => state)).toEqual(['done', 'lost', 'allowed'])
  expect(plan?.rows.map(({ key }) => key)).toEqual(keys)
  expect(new Set(keys).size).toBe(3)
})

test('a checked list that was not confirmed is only a list again', () => {
  const bulk = createBulk('ana')
  bulk.type('a-1,5')
  bulk.put(newPlan({ targets, skipped: 0, faults: [] }))
  expect(createBulk('ana').state()).toMatchObject({ draft: 'a-1,5', plan: undefined, found: false })
})

test('nothing is kept once each row has its outcome; the receipt stays on the screen', () => {
  const bulk = begun('ana', 'done', 'refused', 'failed')
  expect(Object.keys(kept)).toHaveLength(1)
  bulk.row('a-3', { state: 'conflict' })
  expect(Object.keys(kept)).toEqual([])
  const { plan } = bulk.state()
  expect(plan && asListed(plan)).toBe(1)
})

test('after a day the keys are worth nothing: the list is checked anew', () => {
  begun('ana', 'done')
  vi.useFakeTimers({ now: Date.now() + 24 * 60 * 60 * 1000 })
  expect(createBulk('ana').state()).toMatchObject({ draft: 'the list', plan: undefined })
  vi.useRealTimers()
})

test('another tab does not write over a list that is being sent', () => {
  const first = begun('ana', 'done')
  delete kept['kept:bulk:ana']
  const second = createBulk('ana')
  first.row('a-2', { state: 'sending' })
  second.type('something else')
  expect(createBulk('ana').state().plan?.id).toBe(first.state().plan?.id)
})

test('one thing runs at a time, and a stop ends it', async () => {
  const bulk = begun('ana')
  const order: string[] = []
  const first = bulk.run('send', (signal) => {
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
  })
  await bulk.run('send', async () => void order.push('second'))
  expect(bulk.state().running).toBe('send')
  bulk.stop()
  await first
  expect([order, bulk.state().running]).toEqual([[], undefined])
})

test.each([
  '{"plan":{"confirmed":true,"madeAt":9e15,"rows":[{"state":"allowed"}]}}',
  '{"draft":7,"plan":{"confirmed":true}}',
  'no JSON',
  '[]',
  'null',
])('%s is no list', (text) => {
  kept['kept:bulk:ana'] = text
  expect(createBulk('ana').state()).toMatchObject({ draft: '', plan: undefined })
})

test('a browser that keeps nothing is told of, and works', () => {
  vi.stubGlobal('localStorage', storage(true))
  const bulk = begun('ana', 'done')
  expect(bulk.state()).toMatchObject({ keeps: false, draft: 'the list' })
  vi.stubGlobal('localStorage', undefined)
  expect(createBulk('ana').state().draft).toBe('')
})
