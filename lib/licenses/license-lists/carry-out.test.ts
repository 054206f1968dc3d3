import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Problem } from '#lib/platform/api/problem.ts'
import { carryOut, mapWithConcurrency, patiently } from './carry-out.ts'

const never = new AbortController().signal

test('At most four changes run in parallel and two of a type, each once, whatever the order of the answers', async () => {
  const types = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 25 })
  await fc.assert(
    fc.asyncProperty(types, fc.scheduler(), async (input, scheduler) => {
      const items = input.map((type, at) => ({ type, at }))
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
      await scheduler.waitFor(mapWithConcurrency(items, work, never))
      expect(done.toSorted((a, b) => a - b)).toEqual(items.map(({ at }) => at))
    }),
    { numRuns: 40 },
  )
})

test('A stop begins no more changes and lets running ones end', async () => {
  const stop = new AbortController()
  const ended: number[] = []
  const items = Array.from({ length: 9 }, (_, at) => ({ type: 'a', at }))
  await mapWithConcurrency(
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

test('Unknown changes are looked up after the others until they are known, for a limited time', async () => {
  const names: string[] = []
  const waits: number[] = []
  const pause = async (ms: number) => void waits.push(ms)
  const items = ['slow', 'lost', 'quick'].map((name) => ({ type: name, name }))
  const attempt = async ({ name }: { name: string }) => {
    names.push(name)
    return name === 'quick' || (name === 'slow' && names.filter((other) => other === name).length === 3)
  }
  await carryOut(items, attempt, pause, never)
  expect(names.slice(0, 7)).toEqual(['slow', 'lost', 'quick', 'slow', 'lost', 'slow', 'lost'])
  expect(names.filter((name) => name === 'lost')).toHaveLength(37)
  expect(waits.reduce((sum, ms) => sum + ms)).toBe(180_000)
})

const tooMany = (retryAfter: number) => new Problem('rate_limited', undefined, { retryAfter })

test('A rate-limited change waits and is sent again', async () => {
  const answers = [tooMany(0.001), tooMany(0.001), 'done']
  const attempt = async () => {
    const answer = answers.shift()
    if (answer instanceof Problem) throw answer
    return answer
  }
  expect(await patiently(attempt, never)).toBe('done')
  expect(answers).toEqual([])
})

test('Any other refusal is final immediately', async () => {
  let attempts = 0
  const send = async () => {
    attempts += 1
    throw new Problem('vendor_unavailable')
  }
  await expect(patiently(send, never)).rejects.toMatchObject({ code: 'vendor_unavailable' })
  expect(attempts).toBe(1)
})

test('a stop ends the wait', async () => {
  const stop = new AbortController()
  let attempts = 0
  const waiting = patiently(async () => {
    attempts += 1
    queueMicrotask(() => stop.abort())
    throw tooMany(3600)
  }, stop.signal)
  await expect(waiting).rejects.toMatchObject({ code: 'rate_limited' })
  expect(attempts).toBe(1)
})
