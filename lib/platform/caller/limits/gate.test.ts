import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { gate } from './gate.ts'

const LONG = 60_000

test('lets so many in at once, the others in their order, and no more than may wait', async () => {
  const enter = gate({ atOnce: 2, waiting: 2, patience: LONG })
  const inside: number[] = []
  const leave: (() => void)[] = []
  const come = (n: number) =>
    enter().then((out) => {
      inside.push(n)
      leave.push(out)
    })
  const all = [1, 2, 3, 4].map(come)
  await expect(come(5)).rejects.toMatchObject({
    code: 'service_unavailable',
    more: { headers: { 'Retry-After': '2' } },
  })
  expect(inside).toEqual([1, 2])
  leave[0]?.()
  // Who has left can't leave again.
  leave[0]?.()
  // Who comes in this very moment comes after who waits.
  const late = come(6)
  await turn()
  expect(inside).toEqual([1, 2, 3])
  for (const out of leave) out()
  await turn()
  for (const out of leave) out()
  await Promise.all([...all, late])
  expect(inside).toEqual([1, 2, 3, 4, 6])
  for (const out of leave) out()
  await Promise.all([come(7), come(8)])
})

test('nobody waits for longer than the patience, and who has given up takes no place', async () => {
  const enter = gate({ atOnce: 1, waiting: 5, patience: 1 })
  const leave = await enter()
  await expect(enter()).rejects.toMatchObject({ code: 'service_unavailable' })
  leave()
  expect(await enter()).toBeTypeOf('function')
})
