import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PROBLEMS, Problem, type ProblemCode } from '#lib/api/problem.ts'
import { carryOut, fateOf, foresee, inTurns, totalsOf, totalsText } from './bulk.ts'

const change = (purchased: number, quantity: number, isCommitmentPlan = false) => ({
  facts: { status: 'ACTIVE', isCommitmentPlan, purchased },
  quantity,
})

test.each([
  [
    [change(10, 57), change(50, 140, true)],
    'Set 2 assets, +137 licenses, of which 90 can’t be lowered before their renewal',
  ],
  [[change(50, 60, true)], 'Set 1 asset, +10 licenses, which can’t be lowered before their renewal'],
  [
    [change(50, 60, true), change(9, 5)],
    'Set 2 assets, +10 and −4 licenses; the added ones can’t be lowered before their renewal',
  ],
  [
    [change(50, 60, true), change(1, 2), change(9, 5)],
    'Set 3 assets, +11 and −4 licenses; 10 of the added ones can’t be lowered before their renewal',
  ],
  [[change(1, 2)], 'Set 1 asset, +1 license'],
  [[change(2000, 5)], 'Set 1 asset, −1,995 licenses'],
])('in words: %#', (changes, text) => {
  expect(totalsText(totalsOf(changes))).toBe(text)
})

test('what is added is asked for again where one row alone would need it', () => {
  const few = Array.from({ length: 30 }, () => change(100, 110, true))
  expect(totalsOf(few)).toEqual({ assets: 30, added: 300, removed: 0, committed: 300, mustType: false })
  expect(totalsOf([...few, change(10, 13, true)]).mustType).toBe(true)
  expect(totalsOf([change(10, 999)]).mustType).toBe(false)
})

test('what each error means for its row', () => {
  const codes = Object.keys(PROBLEMS) as ProblemCode[]
  const of = (fate: string) => codes.filter((code) => fateOf(new Problem(code), 7) === fate)
  expect(of('conflict')).toEqual(['version_mismatch'])
  expect(of('unknown')).toEqual(['outcome_unknown'])
  expect(of('stopped')).toEqual(['unauthenticated', 'permission_denied'])
  expect(of('failed').toSorted()).toEqual(['change_in_progress', 'vendor_unavailable'])
  expect(of('lost').toSorted()).toEqual(['internal_error', 'service_unavailable'])
  expect(fateOf(new TypeError('fetch failed'), 7)).toBe('lost')
  const first = new Problem('version_mismatch', undefined, {
    members: { current: 7, changedBy: 'Ana', etag: '"2.x"' },
  })
  expect([fateOf(first, 7), fateOf(first, 8)]).toEqual(['done', 'conflict'])
  expect(of('refused')).toEqual(
    expect.arrayContaining(['vendor_rejected', 'decrease_not_allowed', 'not_found']),
  )
})

const facts = { status: 'ACTIVE', isCommitmentPlan: false, purchased: 10 }
const newer = new Problem('version_mismatch', 'Ana set it', {
  members: { current: 12, changedBy: 'Ana', etag: '"2.x"' },
})

test.each([
  [15, ['ok'], { check: 'allowed', etag: '"1.x"', facts }],
  [10, ['ok'], { check: 'same' }],
  [15, [newer, 'ok'], { check: 'allowed', etag: '"2.x"', facts: { ...facts, purchased: 12 } }],
  [12, [newer, 'ok'], { check: 'same' }],
  [15, [newer, newer], { check: 'refused', error: newer }],
  [15, [new Problem('vendor_rejected')], { check: 'refused' }],
  [15, [new Problem('vendor_unavailable')], { check: 'unchecked' }],
  [15, [new TypeError('gone')], { check: 'unchecked' }],
])('a check of %i that is answered %j', async (quantity, answers, expected) => {
  const etags: (string | undefined)[] = []
  const checked = await foresee(quantity, { facts, etag: '"1.x"' }, async (etag) => {
    const answer = answers[etags.push(etag) - 1]
    if (answer instanceof Error) throw answer
  })
  expect(checked).toMatchObject(expected)
  expect(etags).toEqual(['"1.x"', '"2.x"'].slice(0, answers.length))
})

const never = new AbortController().signal

test('at most four at once and two of a type; each once, whatever the order of the answers', async () => {
  const types = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 25 })
  await fc.assert(
    fc.asyncProperty(types, fc.scheduler(), async (given, scheduler) => {
      const items = given.map((type, at) => ({ type, at }))
      const running: string[] = []
      const done: number[] = []
      const work = async ({ type, at }: { type: string; at: number }) => {
        running.push(type)
        expect(running.length).toBeLessThanOrEqual(4)
        expect(running.filter((other) => other === type).length).toBeLessThanOrEqual(2)
        await scheduler.schedule(Promise.resolve())
        running.splice(running.indexOf(type), 1)
        done.push(at)
      }
      await scheduler.waitFor(inTurns(items, work, never))
      expect(done.toSorted((a, b) => a - b)).toEqual(items.map(({ at }) => at))
    }),
    { numRuns: 40 },
  )
})

test('after a stop none is begun, and those begun come to their end', async () => {
  const stop = new AbortController()
  const ended: number[] = []
  const items = Array.from({ length: 9 }, (_, at) => ({ type: 'a', at }))
  await inTurns(
    items,
    async ({ at }) => {
      if (at === 1) stop.abort()
      await Promise.resolve()
      ended.push(at)
    },
    stop.signal,
  )
  expect(ended).toEqual([0, 1])
})

test('what is not known is looked up after the others, until it is known; not for ever', async () => {
  const asked: string[] = []
  const waits: number[] = []
  const pause = async (ms: number) => void waits.push(ms)
  const items = ['slow', 'lost', 'quick'].map((name) => ({ type: name, name }))
  const ask = async ({ name }: { name: string }) => {
    asked.push(name)
    return name === 'quick' || (name === 'slow' && asked.filter((other) => other === name).length === 3)
  }
  await carryOut(items, ask, pause, never)
  expect(asked.slice(0, 7)).toEqual(['slow', 'lost', 'quick', 'slow', 'lost', 'slow', 'lost'])
  expect(asked.filter((name) => name === 'lost')).toHaveLength(37)
  expect(waits.reduce((sum, ms) => sum + ms)).toBe(180_000)
})
