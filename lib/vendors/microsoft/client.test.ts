import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uncounted } from '../test-budget.ts'
import { connect } from './connect.ts'

// A vendor that repeats what it was given, as error pages do.
const server = createServer((request, response) => {
  if (request.url === '/token') {
    response.end(JSON.stringify({ access_token: 'top-secret-token', expires_in: '3599' }))
    return
  }
  const description = `You sent ${request.headers.authorization} and the secret p@ss-word.`
  response.writeHead(400).end(JSON.stringify({ code: 2000, description }))
})
let url = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close().closeAllConnections())

test('no reason repeats a token or the secret', async () => {
  const credentials = { tokenUrl: `${url}/token`, clientId: 'c', clientSecret: 'p@ss-word' }
  const microsoft = connect({ url, settleMs: 0, callsPerMinute: 300, ...credentials }, uncounted)
  const ref = { customerId: 't', subscriptionId: 's', skuId: 'k' }
  const signal = AbortSignal.timeout(2000)
  const own = { json: '{"quantity":1}', etag: 'e' }
  const seats = { purchased: 1, maximum: 1, assigned: 0 }
  const plan = { planName: 'FLEXIBLE', isCommitmentPlan: false, renewalType: null }
  const read = { ...ref, ...plan, status: 'ACTIVE', commitmentStart: null, commitmentEnd: null, seats, own }
  const told = JSON.stringify([
    await microsoft.read(ref, signal),
    await microsoft.list(undefined, signal),
    await microsoft.setQuantity(read, 2, crypto.randomUUID(), signal),
  ])
  expect(told.match(/You sent Bearer … and the secret …\. \(2000\)/g)).toHaveLength(3)
  expect(told).not.toMatch(/top-secret|p@ss/)
})
