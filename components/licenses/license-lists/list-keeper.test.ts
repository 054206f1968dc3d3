import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { newList } from './check.ts'
import { confirmed, countAsListed, type ListRow } from './list.ts'
import { listKeeper } from './list-keeper.ts'

/** Fakes the storage of a browser. */
function storage(isFull = false): Record<string, string> {
  const items: Record<string, string> = {}
  const fake = {
    getItem: (name: string) => items[name] ?? null,
    setItem: (name: string, value: string) => {
      if (isFull) throw new DOMException('It is full.', 'QuotaExceededError')
      items[name] = value
    },
    removeItem: (name: string) => delete items[name],
  }
  for (const [name, value] of Object.entries(fake)) Object.defineProperty(items, name, { value })
  return items
}

let items: Record<string, string>
beforeEach(() => {
  items = storage()
  vi.stubGlobal('window', {})
  vi.stubGlobal('localStorage', items)
})
afterAll(() => {
  vi.unstubAllGlobals()
})

const targets = [1, 2, 3].map((line) => ({ line, assetId: `a-${line}`, quantity: line }))
const allowed = {
  state: 'allowed',
  quantityState: { status: 'ACTIVE', isCommitmentPlan: false, purchased: 9 },
} as const

/** Returns a member's confirmed list of three rows with these states. */
function startedList(member: string, ...states: ListRow['state'][]) {
  const keeper = listKeeper(member)
  keeper.type('the list')
  const list = newList({ targets, skipped: 0, errors: [] })
  keeper.put(confirmed({ ...list, rows: list.rows.map((row) => ({ ...row, ...allowed })) }))
  for (const [at, state] of states.entries()) keeper.row(`a-${at + 1}`, { state })
  return keeper
}

test("a typed list survives a reload for its member only; other members don't find it", () => {
  listKeeper('ana').type('a-1,5')
  expect(listKeeper('ana').state()).toMatchObject({ draft: 'a-1,5', list: undefined })
  expect(listKeeper('ida').state().draft).toBe('')
  expect(Object.keys(items)).toEqual([])
})

test('a confirmed list resumes with its keys; the outcome of rows that were being sent is unknown', () => {
  const first = startedList('ana', 'done', 'sending')
  const keys = first.state().list?.rows.map(({ key }) => key)
  const { list, isResumable } = listKeeper('ana').state()
  expect(isResumable).toBe(true)
  expect(list?.rows.map(({ state }) => state)).toEqual(['done', 'lost', 'allowed'])
  expect(list?.rows.map(({ key }) => key)).toEqual(keys)
  expect(new Set(keys).size).toBe(3)
})

test('a checked, unconfirmed list is restored as a plain list', () => {
  const keeper = listKeeper('ana')
  keeper.type('a-1,5')
  keeper.put(newList({ targets, skipped: 0, errors: [] }))
  expect(listKeeper('ana').state()).toMatchObject({ draft: 'a-1,5', list: undefined, isResumable: false })
})

test('storage is empty once each row is settled; the receipt stays on the screen', () => {
  const keeper = startedList('ana', 'done', 'refused', 'failed')
  expect(Object.keys(items)).toHaveLength(1)
  keeper.row('a-3', { state: 'conflict' })
  expect(Object.keys(items)).toEqual([])
  const { list } = keeper.state()
  expect(list && countAsListed(list)).toBe(1)
})

test('keys expire after a day: the list is checked again', () => {
  startedList('ana', 'done')
  vi.useFakeTimers({ now: Date.now() + 24 * 60 * 60 * 1000 })
  expect(listKeeper('ana').state()).toMatchObject({ draft: 'the list', list: undefined })
  vi.useRealTimers()
})

test('another tab does not overwrite a list that is being sent', () => {
  const first = startedList('ana', 'done')
  delete items['kept:bulk:ana']
  const second = listKeeper('ana')
  first.row('a-2', { state: 'sending' })
  second.type('something else')
  expect(listKeeper('ana').state().list?.id).toBe(first.state().list?.id)
})

test('only one run is active, and a stop ends it', async () => {
  const keeper = startedList('ana')
  const calls: string[] = []
  const first = keeper.run('send', (signal) => {
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
  })
  await keeper.run('send', async () => void calls.push('second'))
  expect(keeper.state().running).toBe('send')
  keeper.stop()
  await first
  expect([calls, keeper.state().running]).toEqual([[], undefined])
})

test.each([
  '{"plan":{"confirmed":true,"madeAt":9e15,"rows":[{"state":"allowed"}]}}',
  '{"draft":7,"plan":{"confirmed":true}}',
  'no JSON',
  '[]',
  'null',
])('%s is no list', (text) => {
  items['kept:bulk:ana'] = text
  expect(listKeeper('ana').state()).toMatchObject({ draft: '', list: undefined })
})

test('a browser without storage is reported, and the list works', () => {
  vi.stubGlobal('localStorage', storage(true))
  const keeper = startedList('ana', 'done')
  expect(keeper.state()).toMatchObject({ isStorable: false, draft: 'the list' })
  vi.stubGlobal('localStorage', undefined)
  expect(listKeeper('ana').state().draft).toBe('')
})
