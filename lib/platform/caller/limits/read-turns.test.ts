import { expect, test } from 'vitest'
import type { AnyContract } from '#lib/platform/api/contract.ts'
import { readTurn } from './read-turns.ts'

const READ = { method: 'GET', limit: 'requests' } as AnyContract

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

test('a customer who asks for everything at once leaves room for another, and waits in turn', async () => {
  const held = await Promise.all(Array.from({ length: 12 }, () => readTurn(READ, 'flood')))
  const thirteenth = readTurn(READ, 'flood')
  expect(await isThere(thirteenth)).toBe(false)
  const other = readTurn(READ, 'other')
  expect(await isThere(other)).toBe(true)
  held[0]?.()
  expect(await isThere(thirteenth)).toBe(true)
  for (const end of [...held.slice(1), await thirteenth, await other]) end()
})

test('who waits beside a hundred others of theirs is told to come again, and nobody else is', async () => {
  const held = await Promise.all(Array.from({ length: 12 }, () => readTurn(READ, 'flood')))
  const waiting = Array.from({ length: 100 }, () => readTurn(READ, 'flood'))
  await expect(readTurn(READ, 'flood')).rejects.toMatchObject({
    code: 'service_unavailable',
    more: { headers: { 'Retry-After': '1' } },
  })
  const other = await readTurn(READ, 'other')
  for (const end of [...held, other]) end()
  for (const one of waiting) (await one)()
})

test.each([
  ['a change', { method: 'PATCH', limit: 'changes' }],
  ['what is sent while it is made', { method: 'GET', limit: 'exports' }],
])('%s waits for no read', async (_, contract) => {
  const held = await Promise.all(Array.from({ length: 12 }, () => readTurn(READ, 'flood')))
  expect(await isThere(readTurn(contract as AnyContract, 'flood'))).toBe(true)
  for (const end of held) end()
})
