import { afterEach, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { contract } from './contract.ts'
import { operation } from './operation.ts'

const promise = contract({
  name: 'readThing',
  method: 'GET',
  path: '/billing/v1/thing',
  summary: 'A thing',
  description: 'A thing.',
  permission: 'none',
  output: z.object({ id: z.string(), size: z.number().optional() }),
})
const answered = async (body: object, isExact = true) => {
  const perform = operation(promise, async () => ({ body: body as { id: string } }), { isExact })
  const reply = await perform(
    undefined as never,
    { params: {}, query: {}, body: undefined },
    { requestId: 'r' },
  )
  return JSON.stringify(reply.body)
}

afterEach(() => vi.unstubAllEnvs())

it('leaves as it was made', async () => {
  expect(await answered({ id: 'a', size: 1 })).toBe('{"id":"a","size":1}')
})

it.each([
  ['a field too many', { id: 'a', secret: 1 }],
  ['another order', { size: 1, id: 'a' }],
  ['a field too few', { size: 1 }],
])('an answer with %s is detected outside production', async (_, body) => {
  await expect(answered(body)).rejects.toThrow()
})

it('an answer is not compared in production, where the inexact path still removes undeclared members', async () => {
  vi.stubEnv('NODE_ENV', 'production')
  expect(await answered({ size: 1, id: 'a' })).toBe('{"size":1,"id":"a"}')
  expect(await answered({ id: 'a', secret: 1 }, false)).toBe('{"id":"a"}')
})
