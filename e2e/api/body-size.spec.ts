import { expect, test } from '@playwright/test'
import { exchange } from '../../lib/server/test-exchange.ts'
import { asset, newCustomer } from '../admin.ts'

const port = Number(new URL(process.env.E2E_BASE_URL ?? 'http://localhost').port)
let key: string

test.beforeAll(async () => {
  const customer = await newCustomer('bodies')
  await customer.importAssets([asset('workspace-suite-1', 'Suite', { purchased: 10 })])
  key = await customer.key('admin')
})

test.describe('a body over 16 KiB gets a 413, and the connection is closed or stays usable', () => {
  const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
  const patch = (...headers: string[]) => {
    const commonHeaders = [
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
    ]
    return `${['PATCH /billing/v1/assets/workspace-suite-1 HTTP/1.1', ...commonHeaders, ...headers].join('\r\n')}\r\n\r\n`
  }
  const big = `{"quantity":11,"a":"${'a'.repeat(20_000)}"}`
  const cases: Record<string, () => string[]> = {
    'in chunks': () => [
      patch('Transfer-Encoding: chunked'),
      `${big.length.toString(16)}\r\n${big}\r\n0\r\n\r\n`,
    ],
    'with a length far over it': () => [patch('Content-Length: 5000000'), big],
  }
  for (const [name, parts] of Object.entries(cases)) {
    test(name, async () => {
      const { answers, wasClosed } = await exchange(port, [...parts(), /body_too_large/, HEALTH])
      const text = answers.map(({ status, body }) => `${status} ${body}`).join('\n')
      expect(text).toContain('body_too_large')
      expect(text).toMatch(/^413 /)
      expect(wasClosed).toBe(true)
    })
  }
})
