import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { paging, pagingOutput } from '#lib/platform/lists/paging.ts'
import { contract } from './contract.ts'
import { route } from './endpoint.ts'
import { operation } from './operation.ts'

const promise = contract({
  name: 'listNumbers',
  summary: 'Numbers',
  description: 'All of them.',
  method: 'GET',
  path: '/numbers',
  permission: 'none',
  query: z.object(paging),
  output: z.object({ numbers: z.array(z.int()), ...pagingOutput }),
})

beforeEach(() => {
  vi.stubEnv('BASE_URL', 'https://console.example.org')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

async function linkOf(search: string, tokens: { pageToken?: string; previousPageToken?: string }) {
  const { GET } = route(operation(promise, async () => ({ body: { numbers: [], rowCount: 0, ...tokens } })))
  const response = await GET(new Request(`https://console.example.org/numbers${search}`))
  expect(response.status).toBe(200)
  return response.headers.get('link')
}

test('a page of a list has the addresses of its neighbors, with the same filters', async () => {
  const tokens = { pageToken: 'n+1', previousPageToken: 'p' }
  const address = (token: string) =>
    `<https://console.example.org/numbers?filter=a%7Cb+c&pageToken=${token}&maxResults=2>`
  expect(await linkOf('?filter=a|b%20c&pageToken=now&maxResults=2', tokens)).toBe(
    `${address('n%2B1')}; rel="next", ${address('p')}; rel="prev"`,
  )
})

test('a list of one page has no link', async () => {
  expect(await linkOf('', {})).toBeNull()
})

test('no character of a query ends the address of a link', async () => {
  const link = await linkOf('?filter=%3E%3B%20rel=%22next%22,%3Chttps://other.example%3E>', {
    pageToken: 'n',
  })
  expect(link).toMatch(/^<https:\/\/console\.example\.org\/numbers\?[^<>"\s]+>; rel="next"$/)
})
