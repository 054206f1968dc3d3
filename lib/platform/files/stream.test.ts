import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { contract } from '#lib/platform/api/contract.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import { openApiOperation } from '#lib/platform/api/openapi/document.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { streamScope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addKey, callerOf } from '#lib/platform/db/test-rows.ts'
import { attachment, fileName } from './attachment.ts'
import { stream } from './download.ts'
import { MIN_THROUGHPUT, startSending, throughputTimer } from './stream.ts'

describe('stream', () => {
  const numbers = contract({
    name: 'countNumbers',
    summary: 'As many numbers as it takes',
    description: 'It counts.',
    method: 'GET',
    path: '/numbers',
    permission: 'invoice-viewer',
    output: stream('text/csv; charset=utf-8', 'A line for each number.'),
  })

  let database: TestDatabase
  const keys = { finance: '', it: '' }
  /** Number of statements that the running operation has sent. */
  let queryCount = 0
  /** Number of operations that have neither finished nor been stopped. */
  let running = 0

  beforeAll(async () => {
    database = await testDatabase()
    await addCustomer('northwind')
    keys.finance = await addKey('northwind', ['finance-user'])
    keys.it = await addKey('northwind', ['it-manager'])
  })
  afterAll(() => database.close())

  /** Returns an operation that answers `rows` rows of 1,000 bytes, and fails at the row `failAt`. */
  function numbersOf(rows: number, failAt = rows + 1) {
    const count = async function* (caller: Caller) {
      yield* streamScope(caller, async function* (tx) {
        running += 1
        try {
          for (let row = 1; row <= rows; row++) {
            queryCount += 1
            const { rows: resultRows } = await tx.execute(
              sql`SELECT ${row}::int / ${failAt - row}::int, ${row}::int AS n`,
            )
            yield `${String(resultRows[0]?.n).padEnd(999, '.')}\n`
          }
        } finally {
          running -= 1
        }
      })
    }
    const headers = attachment('numbers.csv', 'text/csv; charset=utf-8')
    return route(operation(numbers, async (caller) => ({ body: count(caller), headers })))
  }

  function requestFile(
    handlers: ReturnType<typeof route>,
    options: { key?: string; method?: 'GET' | 'HEAD'; signal?: AbortSignal },
  ) {
    const { key = keys.finance, method = 'GET', signal } = options
    const headers = { Authorization: `Bearer ${key}`, 'If-None-Match': '*' }
    return handlers[method](
      new Request('http://console.example/numbers', { method, headers, ...(signal ? { signal } : {}) }),
    )
  }

  /** Waits until no connection for streams is in use. */
  async function expectIdle(): Promise<void> {
    const { streams } = database.opened
    await expect.poll(() => streams.totalCount - streams.idleCount).toBe(0)
  }

  it('sends all rows as a download that must not be cached', async () => {
    const response = await requestFile(numbersOf(300), {})
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(text.split('\n').map((line) => Number.parseInt(line, 10))).toEqual([
      ...Array.from({ length: 300 }, (_, index) => index + 1),
      Number.NaN,
    ])
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="numbers.csv"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(response.headers.get('etag')).toBeNull()
    await expectIdle()
  })

  it('documents a file without an ETag', async () => {
    const handlers = route(
      openApiOperation([{ tag: 'Numbers', description: 'Counted.', contracts: [numbers] }]),
    )
    const { paths } = await (await handlers.GET(new Request('http://console.example/openapi.json'))).json()
    const { responses, parameters } = paths['/numbers'].get
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '401', '403', '503', 'default']))
    expect(Object.keys(responses)).not.toContain('304')
    expect(parameters).toEqual([])
    expect(responses['200'].content).toEqual({
      'text/csv; charset=utf-8': { schema: { type: 'string' } },
    })
  })

  it('an empty stream is an empty file', async () => {
    const response = await requestFile(numbersOf(0), {})
    expect([response.status, await response.text()]).toEqual([200, ''])
    await expectIdle()
  })

  it('checks the caller first, and answers HEAD without a body', async () => {
    expect((await requestFile(numbersOf(1), { key: keys.it })).status).toBe(403)
    const headResponse = await requestFile(numbersOf(300), { method: 'HEAD' })
    expect([
      headResponse.status,
      headResponse.headers.get('content-type'),
      await headResponse.text(),
    ]).toEqual([200, 'text/csv; charset=utf-8', ''])
    await expectIdle()
  })

  it('a failure before the first byte is answered as a problem', async () => {
    const response = await requestFile(numbersOf(300, 20), {})
    expect([response.status, response.headers.get('content-type')]).toEqual([500, 'application/problem+json'])
    const refusing = operation(numbers, async () => ({
      // biome-ignore lint/correctness/useYield: it is refused before its first row
      body: (async function* (): AsyncGenerator<string> {
        throw new Problem('invalid_request', 'Too many rows.')
      })(),
    }))
    const rejected = await requestFile(route(refusing), {})
    expect([rejected.status, (await rejected.json()).detail]).toEqual([400, 'Too many rows.'])
    await expectIdle()
  })

  it('a failure after the first byte breaks the connection off, so that no partial file looks complete', async () => {
    const response = await requestFile(numbersOf(300, 250), {})
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
    await expectIdle()
  })

  it.each(['cancelled', 'aborted'] as const)(
    'stops its statements when the client is gone (%s)',
    async (how) => {
      queryCount = 0
      const leaving = new AbortController()
      const response = await requestFile(numbersOf(100_000), { signal: leaving.signal })
      const reader = response.body?.getReader()
      await reader?.read()
      if (how === 'cancelled') await reader?.cancel()
      else leaving.abort()
      await expectIdle()
      // A stopped operation sends no more rows.
      await expect.poll(() => running).toBe(0)
      expect(queryCount).toBeLessThan(1000)
    },
  )

  it('leaves no work running if the client had gone before the first chunk', async () => {
    const aborted = AbortSignal.abort()
    await requestFile(numbersOf(100_000), { signal: aborted })
    await expectIdle()
  })

  it('reads ahead no further than the client', async () => {
    queryCount = 0
    const response = await requestFile(numbersOf(100_000), {})
    // Long enough to read far more.
    for (let n = 0; n < 300; n++) await database.opened.reads.query('SELECT 1')
    expect(queryCount).toBeLessThan(100)
    await response.body?.cancel()
    await expectIdle()
  })

  it("three customers' exports leave room for another one's", async () => {
    const exportsOf = async (id: string) => {
      await addCustomer(id)
      const caller = await callerOf(id, 'finance-user')
      return [1, 2].map(() =>
        streamScope(caller, async function* (tx) {
          for (;;) yield (await tx.execute(sql`SELECT 1`)).rowCount
        }),
      )
    }
    const running = (await Promise.all(['first', 'second', 'third'].map(exportsOf))).flat()
    for (const values of running) expect((await values.next()).value).toBe(1)
    const [other] = await exportsOf('fourth')
    expect((await other?.next())?.value).toBe(1)
    for (const values of [...running, other]) await values?.return()
    await expectIdle()
  })

  it('returns its database connection as soon as a client is too slow', async () => {
    const outgoing = await startSending(
      streamScope(await callerOf('northwind', 'finance-user'), async function* (tx) {
        for (;;) {
          await tx.execute(sql`SELECT 1`)
          yield 'x'.repeat(1 << 16)
        }
      }),
      undefined,
      { minThroughput: { bytes: 1 << 20, within: 50 } },
    )
    await expectIdle()
    expect(await outgoing.ended).toEqual({ bytes: 0, cut: true })
  })

  it.each([
    ['takes nothing', { minThroughput: { bytes: 1, within: 50 } }],
    ['takes too long', { time: 50 }],
  ])('gives up on a client that %s', async (_, limits) => {
    let isStopped = false
    const endless = async function* () {
      try {
        for (;;) yield 'x'.repeat(1 << 16)
      } finally {
        isStopped = true
      }
    }
    const outgoing = await startSending(endless(), undefined, limits)
    await outgoing.next()
    await expect.poll(() => isStopped).toBe(true)
    await expect(outgoing.next()).rejects.toThrow('given up')
    expect(await outgoing.ended).toEqual({ bytes: 1 << 16, cut: true })
  })

  it.each([
    ['IN-1', 'IN-1'],
    ['IN/2026 é|1', 'IN-2026 é-1'],
    ['../../etc/passwd', '-..-etc-passwd'],
    ['..', 'file'],
    ['a\u202Efdp.exe', 'a-fdp.exe'],
    ['CON:\u0000\r\n', 'CON-'],
    ['請求書', '請求書'],
    ['x'.repeat(300), 'x'.repeat(200)],
    ['書'.repeat(300), '書'.repeat(66)],
    ['con', 'con-'],
    ['Com1.x', 'Com1-.x'],
    ['console', 'console'],
    ['a\ud800b', 'a\ufffdb'],
  ])('names the file of %j %j', (text, expected) => {
    expect(fileName(text)).toBe(expected)
  })

  it('a name with non-ASCII letters is encoded in the header', () => {
    const { 'Content-Disposition': header } = attachment(`${fileName("請求書 (1)'*")}.pdf`, 'application/pdf')
    expect(header).toMatch(/^[\x20-\x7e]+$/)
    const exact = header?.split("UTF-8''")[1] ?? ''
    expect(exact).toMatch(/^[\w.~%-]+$/)
    expect(decodeURIComponent(exact)).toBe("請求書 (1)'-.pdf")
  })
})

describe('the throughput', () => {
  /** Returns for how many of `most` seconds a client is tolerated that takes `bytesEach` every `everySeconds`. */
  function seconds(bytesEach: number, most: number, everySeconds = 1): number {
    const { took, left } = throughputTimer(MIN_THROUGHPUT)
    for (let at = everySeconds; at <= most; at += everySeconds) {
      if (left() < everySeconds * 1000) return at - everySeconds + left() / 1000
      took(bytesEach * everySeconds, everySeconds * 1000)
    }
    return most
  }

  describe('the timer', () => {
    test.each([
      ['takes nothing', 0, 90],
      ['takes one byte a second', 1, 90],
      ['takes 5 kB a second', 5_000, 90],
      ['takes 6 kB a second', 6_000, 600],
      ['takes 20 kB a second', 20_000, 600],
    ])('ends as expected for a client that %s', (_, bytes, expected) => {
      expect(seconds(bytes, 600)).toBe(expected)
    })

    test('tolerates a client whose bytes are seen in large steps', () => {
      expect(seconds(20_000, 600, 75)).toBe(600)
      expect(seconds(5_000, 600, 75)).toBe(90)
    })

    test('is not reset by an initial burst', () => {
      const { took, left } = throughputTimer(MIN_THROUGHPUT)
      took(100 * MIN_THROUGHPUT.bytes, 0)
      took(1, 89_999)
      expect(left()).toBe(1)
      took(1, 5)
      expect(left()).toBe(0)
    })

    test("does not count the time of the server's own work", () => {
      const { took, left } = throughputTimer(MIN_THROUGHPUT)
      for (let chunk = 0; chunk < 1000; chunk++) took(1, 0)
      expect(left()).toBe(MIN_THROUGHPUT.within)
    })
  })
})
