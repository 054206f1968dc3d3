import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { send, type Token, type Tokens } from './client.ts'
import { uncounted } from './test-budget.ts'

const asked: { token: string | undefined; body: string }[] = []
const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const token = request.headers.authorization?.replace('Bearer ', '')
  asked.push({ token, body })
  response.writeHead(token === 'good' ? 200 : 401).end('{}')
})
let url = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close().closeAllConnections())
beforeEach(() => {
  asked.length = 0
})

/** Gives these one after the other, the last for ever, whatever is dropped. */
function tokens(...values: (string | undefined)[]): Tokens {
  const next = (): Token => {
    const value = values.length > 1 ? values.shift() : values[0]
    return value === undefined ? { kind: 'none', reason: 'no token: 503' } : { kind: 'token', value }
  }
  return { token: async () => next(), drop() {} }
}
const post = (given: Tokens) =>
  send(
    { url, tokens: given, budget: uncounted('', 0), headers: {} },
    { path: '/', method: 'POST', body: 'change' },
    AbortSignal.timeout(5000),
  )

test.each([
  ['a new token: once more', tokens('old', 'good'), { status: 200 }, ['old', 'good']],
  ['a new token that is refused too: no third time', tokens('a', 'b', 'good'), { status: 401 }, ['a', 'b']],
  ['the same token: it would be refused again', tokens('key'), { status: 401 }, ['key']],
  ['no new token: the refusal stands', tokens('old', undefined), { status: 401 }, ['old']],
])('after 401 with %s', async (_what, given, told, sent) => {
  expect(await post(given)).toMatchObject({ kind: 'answer', ...told })
  expect(asked).toEqual(sent.map((token) => ({ token, body: 'change' })))
})
