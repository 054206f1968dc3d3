import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { turns } from './turns.ts'

const LONG = 60_000

/** Resolves with whether the turn was there at once. */
async function isThere(turn: Promise<unknown>): Promise<boolean> {
  let there = false
  turn.then(
    () => {
      there = true
    },
    () => {},
  )
  await new Promise(setImmediate)
  return there
}

test('one customer leaves room for the first request of another', async () => {
  const { take } = turns(4, 3, LONG)
  await Promise.all([take('a'), take('a'), take('a')])
  expect(await isThere(take('a'))).toBe(false)
  expect(await isThere(take('b'))).toBe(true)
})

test('a free turn goes to who holds fewest, and not to who came first', async () => {
  const { take } = turns(2, 2, LONG)
  const [first] = await Promise.all([take('a'), take('a')])
  const again = take('a')
  const other = take('b')
  first?.()
  expect([await isThere(again), await isThere(other)]).toEqual([false, true])
})

test('of those who hold as few, each has a turn before one has two', async () => {
  const { take } = turns(1, 1, LONG)
  const begun: string[] = []
  const first = await take('a')
  for (const who of ['a', 'a', 'b', 'b'])
    take(who).then((end) => {
      begun.push(who)
      end()
    })
  first()
  await new Promise(setImmediate)
  expect(begun).toEqual(['a', 'b', 'a', 'b'])
})

test('a turn is ended once', async () => {
  const { take } = turns(1, 1, LONG)
  const end = await take('a')
  end()
  end()
  await take('a')
  expect(await isThere(take('a'))).toBe(false)
})

test('who waits too long is told, and takes no turn from others afterwards', async () => {
  vi.useFakeTimers()
  try {
    const { take } = turns(1, 1, 2000)
    const end = await take('a')
    const late = take('a')
    const refused = expect(late).rejects.toThrow('no turn in time')
    await vi.advanceTimersByTimeAsync(2000)
    await refused
    const next = take('b')
    end()
    expect(await next).toBeTypeOf('function')
  } finally {
    vi.useRealTimers()
  }
})

test('however requests come and go: never too many, never over a share, and nobody is forgotten', async () => {
  const step = fc.record({ customer: fc.constantFrom('a', 'b', 'c'), ends: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      async (steps, share) => {
        const most = 4
        const { take } = turns(most, share, LONG)
        const running: { customer: string; end: () => void }[] = []
        let asked = 0
        let begun = 0
        const goOn = async () => {
          await new Promise(setImmediate)
          expect(running.length).toBeLessThanOrEqual(most)
          for (const one of ['a', 'b', 'c'])
            expect(running.filter(({ customer }) => customer === one).length).toBeLessThanOrEqual(share)
        }
        for (const { customer, ends } of steps) {
          if (ends) running.shift()?.end()
          else {
            asked += 1
            take(customer).then((end) => {
              begun += 1
              running.push({ customer, end })
            })
          }
          await goOn()
        }
        // Each that is left ends in its turn: then all that asked have begun.
        for (let left = asked; left > 0; left--) {
          running.shift()?.end()
          await goOn()
        }
        expect(begun).toBe(asked)
      },
    ),
    { numRuns: 60 },
  )
})
