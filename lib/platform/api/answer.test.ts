import { expect, test } from 'vitest'
import { guarded } from './endpoint.ts'
import { isOutgoing } from './operation.ts'

const answered = (method: string, size: number) =>
  guarded(
    {
      method,
      path: '/large',
      search: '',
      headers: new Headers(),
      read: async () => new Uint8Array(),
    },
    '/large',
    async () => ({
      status: 200,
      headers: { 'Content-Type': 'application/pdf' },
      body: Buffer.alloc(size, 'a'),
    }),
  )

test('a large answer leaves in chunks, so that a slow reader is noticed, and declares its length', async () => {
  const { body, headers } = await answered('GET', 1_000_000)
  if (!isOutgoing(body)) throw new Error('It leaves at once.')
  const sizes: number[] = []
  for (let part = await body.next(); !part.done; part = await body.next()) sizes.push(part.value.length)
  expect(headers['Content-Length']).toBe('1000000')
  expect(Math.max(...sizes)).toBe(65_536)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1_000_000)
  expect(await body.ended).toEqual({ bytes: 1_000_000, cut: false })
})

test.each([
  ['GET', 1000],
  ['HEAD', 1000],
  ['HEAD', 1_000_000],
])('%s of %i bytes is sent in one piece', async (method, size) => {
  const { body, headers } = await answered(method, size)
  expect(isOutgoing(body)).toBe(false)
  expect(headers['Content-Length']).toBe(String(size))
  expect(body instanceof Uint8Array ? body.length : 0).toBe(method === 'HEAD' ? 0 : size)
})
