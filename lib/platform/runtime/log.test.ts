import { beforeEach, expect, test } from 'vitest'
import { guarded } from '#lib/platform/api/endpoint.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { newLog, runWithRequestContext } from './log.ts'

let text = ''
const log = newLog({
  write(line) {
    text += line
  },
})
log.level = 'info'
Object.assign(globalThis, { licensesInvoicesLog: log })
beforeEach(() => {
  text = ''
})

test.each([
  'a\r\n{"level":60,"msg":"forged"}',
  '"}\n{"level":60',
  '\u2028\u2029\u0085',
  '\u001b[2J',
  '%s %o %j',
  '\ud800',
])('logs an argument as one line of JSON, without interpreting format specifiers: %j', (hostile) => {
  log.info({ agent: hostile }, 'a visit')
  expect(text.match(/\n/g)).toHaveLength(1)
  expect(JSON.parse(text)).toMatchObject({ level: 30, agent: hostile, msg: 'a visit' })
  expect(text).not.toContain('\u001b')
})

test.each([
  ['a refusal', new Problem('invalid_request', 'The field secret-value is not known.')],
  ['a failure', new Error('something broke')],
])('the line of %s contains caller and route, and no key, cookie, query or body', async (_, thrown) => {
  const request = {
    method: 'PATCH',
    path: '/billing/v1/assets/A-1',
    search: 'search=secret-query',
    headers: new Headers({
      authorization: 'Bearer secret-key',
      cookie: 'console-session=secret-cookie',
      'idempotency-key': 'secret-name',
      'content-type': 'application/json',
    }),
    read: async () => Buffer.from('{"currentPassword":"secret-body"}'),
  }
  const context = { requestId: 'r-1', address: '192.0.2.1', agent: 'curl' }
  await runWithRequestContext(context, () =>
    guarded(request, '/billing/v1/assets/{asset_id}', async () => {
      await request.read()
      throw thrown
    }),
  )
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.at(-1)).toMatchObject({
    time: expect.any(Number),
    method: 'PATCH',
    path: '/billing/v1/assets/A-1',
    route: '/billing/v1/assets/{asset_id}',
    status: thrown instanceof Problem ? 400 : 500,
    address: '192.0.2.1',
  })
  expect(text).not.toContain('secret')
})
