import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Budget } from './budgets.ts'
import { type Call, send, type Token, type Tokens } from './client.ts'
import { uncounted } from './test-budget.ts'

const requests: { token: string | undefined; body: string }[] = []
/** Answer to a call with a valid token. */
let answer: { status: number; headers: Record<string, string>; text: string }
const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const token = request.headers.authorization?.replace('Bearer ', '')
  requests.push({ token, body })
  if (token !== 'good') response.writeHead(401).end('{}')
  else response.writeHead(answer.status, answer.headers).end(answer.text)
})
let url = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close().closeAllConnections())
beforeEach(() => {
  requests.length = 0
  answer = { status: 200, headers: {}, text: '{}' }
})

/** Returns tokens with these values one after the other, repeating the last one, regardless of dropped ones. */
function tokens(...values: (string | undefined)[]): Tokens {
  const next = (): Token => {
    const value = values.length > 1 ? values.shift() : values[0]
    return value === undefined ? { kind: 'none', reason: 'no token: 503' } : { kind: 'token', value }
  }
  return { token: async () => next(), drop() {} }
}
const post = (source: Tokens) =>
  send(
    { url, tokens: source, budget: uncounted('', 0), headers: {} },
    { path: '/', method: 'POST', body: 'change' },
    AbortSignal.timeout(5000),
  )

test.each([
  ['repeats the call once with a new token', tokens('old', 'good'), { status: 200 }, ['old', 'good']],
  [
    'does not repeat it a third time if the new token is refused, too',
    tokens('a', 'b', 'good'),
    { status: 401 },
    ['a', 'b'],
  ],
  ['does not repeat it with the same token', tokens('key'), { status: 401 }, ['key']],
  ['returns the refusal without a new token', tokens('old', undefined), { status: 401 }, ['old']],
])('the client %s, after a 401', async (_what, source, outcome, sent) => {
  expect(await post(source)).toMatchObject({ kind: 'answer', ...outcome })
  expect(requests).toEqual(sent.map((token) => ({ token, body: 'change' })))
})

test('a process that was suspended before its call does not send the call any more', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const budget: Budget = {
    ...uncounted('', 0),
    acquire: async () => {
      vi.setSystemTime(Date.now() + 60_000)
      return { kind: 'granted' }
    },
  }
  const access = { url, tokens: tokens('good'), budget, headers: {} }
  const reply = await send(access, { path: '/', method: 'POST', body: 'change' }, AbortSignal.timeout(5000))
  vi.useRealTimers()
  expect([reply, requests]).toEqual([{ kind: 'unsent', reason: 'the process was held up' }, []])
})

describe('the budget', () => {
  /** Sends calls with a stub budget that records its requests. */
  async function sendWith(permit: Awaited<ReturnType<Budget['acquire']>>, call: Partial<Call> = {}) {
    const budgetCalls: unknown[] = []
    const budget: Budget = {
      acquire: async (isBackground) => {
        budgetCalls.push({ isBackground })
        return permit
      },
      close: async (seconds) => void budgetCalls.push({ closed: seconds }),
      secondsUntilAvailable: async () => 0,
    }
    const isThrottled = ({ text }: { text: string }) => text === 'slower'
    const access = { url, tokens: tokens('old', 'good'), budget, headers: {}, isThrottled }
    const reply = await send(access, { path: '/', ...call }, AbortSignal.timeout(5000))
    return { reply, budgetCalls }
  }
  const granted = { kind: 'granted' } as const

  test('is charged for each call, also for the repeat with a new token', async () => {
    const { budgetCalls } = await sendWith(granted, { isBackground: true })
    expect(budgetCalls).toEqual([{ isBackground: true }, { isBackground: true }])
    expect(requests).toHaveLength(2)
  })

  test('a held call is not sent, and reports the time to wait', async () => {
    const deniedPermit = { kind: 'held', reason: 'used up', retryAfter: 4 } as const
    const { reply } = await sendWith(deniedPermit)
    expect(reply).toEqual({ kind: 'unsent', reason: 'used up', retryAfter: 4, isThrottled: true })
    expect(requests).toEqual([])
  })

  test.each([
    ['429 with a time', 429, { 'retry-after': '30' }, '', [{ closed: 30 }]],
    ['429 without one', 429, {}, '', [{ closed: undefined }]],
    ['503 with a time', 503, { 'retry-after': '30' }, '', [{ closed: 30 }]],
    ['503 without one, which may be one subscription’s', 503, {}, '', []],
    ['the vendor’s own words, with any status', 403, {}, 'slower', [{ closed: undefined }]],
    ['another refusal, with a time', 409, { 'retry-after': '30' }, '', []],
    ['a success that asks to look later', 202, { 'retry-after': '30' }, '', []],
  ])('%s', async (_what, status, headers, text, closed) => {
    answer = { status, headers, text }
    const { reply, budgetCalls } = await sendWith(granted)
    expect(budgetCalls.slice(2)).toEqual(closed)
    expect(reply.isThrottled ?? false).toBe(closed.length > 0)
  })
})
