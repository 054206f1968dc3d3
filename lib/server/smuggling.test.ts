import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestServer } from './test-server.ts'

// Where a proxy and this server disagree on the end of a request, the rest becomes the start of another client's
// request (request smuggling). So ambiguous requests are rejected: the connection ends, and the rest is never answered.

let testServer: Awaited<ReturnType<typeof openTestServer>>
beforeAll(async () => {
  testServer = await openTestServer()
})
afterAll(() => testServer.close())

const REQUEST_START = 'POST /billing/v1/assets HTTP/1.1\r\nHost: console.example\r\n'
const HIDDEN = 'GET /billing/v1/hidden HTTP/1.1\r\nHost: console.example\r\nConnection: close\r\n\r\n'
const END = '0\r\n\r\n'

describe('the rest of a request with two ends is not answered', () => {
  test.each([
    ['a length and chunks', `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${END}`],
    ['two encodings', `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n${END}`],
    ['an encoding that nobody knows', `Transfer-Encoding: xchunked\r\n\r\n${END}`],
    ['chunks that are not the last encoding', `Transfer-Encoding: chunked, identity\r\n\r\n${END}`],
    ['a blank before the colon', `Transfer-Encoding : chunked\r\n\r\n${END}`],
    ['a control character before the value', `Transfer-Encoding:\x0bchunked\r\n\r\n${END}`],
    ['a folded header', `Transfer-Encoding:\r\n chunked\r\n\r\n${END}`],
    ['a carriage return within a header', `X: a\rTransfer-Encoding: chunked\r\n\r\n${END}`],
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 0\r\n\r\n{}'],
    ['the same length twice', 'Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}'],
    ['a list of lengths', 'Content-Length: 2, 2\r\n\r\n{}'],
    ['a length with a sign', 'Content-Length: +2\r\n\r\n{}'],
    ['a length below zero', 'Content-Length: -1\r\n\r\n'],
    ['a length in another base', 'Content-Length: 0x2\r\n\r\n{}'],
    ['a length beyond all numbers', 'Content-Length: 99999999999999999999\r\n\r\n'],
    ['a chunk in another base', 'Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n'],
    ['a chunk below zero', 'Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n'],
    ['chunks with half of a line end', 'Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n'],
    ['a line end in what a chunk is said to be', `Transfer-Encoding: chunked\r\n\r\n2;\nxx\r\n{}\r\n${END}`],
    ['lines with half of an end', 'X: a\nContent-Length: 0\n\n'],
  ])('%s', async (_, rest) => {
    const before = testServer.seen.length
    const { answers, wasClosed } = await testServer.send(`${REQUEST_START}${rest}${HIDDEN}`)
    expect(wasClosed).toBe(true)
    expect(testServer.seen.slice(before).filter(({ url }) => url?.includes('hidden'))).toEqual([])
    expect(answers.filter(({ status }) => status < 400)).toEqual([])
  })
})

test('an unexpected body is not read as a request', async () => {
  const before = testServer.seen.length
  const get = REQUEST_START.replace('POST', 'GET')
  const hidden = HIDDEN.replace('hidden', 'body')
  await testServer.send(`${get}Content-Length: ${hidden.length}\r\n\r\n${hidden}`, HIDDEN)
  expect(testServer.seen.slice(before).map(({ url }) => url)).toEqual([
    '/billing/v1/assets',
    '/billing/v1/hidden',
  ])
})
