import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { boundedPages, boundedSteps } from './bounded-pages.ts'

const exchangeOf = (destroyed = false) =>
  [{} as IncomingMessage, Object.assign(new EventEmitter(), { destroyed }) as ServerResponse] as const
const [ANONYMOUS, MEMBER] = [{ isMember: false }, { isMember: true }]

test('a flood of unknown clients renders one page at a time, and delays no member', async () => {
  const making: (() => void)[] = []
  const pages = boundedPages(() => new Promise((resolve) => making.push(() => resolve())))
  const anonymousPages = Array.from({ length: 60 }, () => pages(...exchangeOf(), ANONYMOUS))
  const rejections = Promise.allSettled(anonymousPages)
  await immediate()
  expect(making).toHaveLength(1)
  const members = [pages(...exchangeOf(), MEMBER), pages(...exchangeOf(), MEMBER)]
  await immediate()
  expect(making).toHaveLength(3)
  const end = setInterval(() => making.shift()?.(), 1)
  await Promise.all(members)
  // One page was rendered and fifty requests waited.
  expect((await rejections).filter(({ status }) => status === 'rejected')).toHaveLength(9)
  clearInterval(end)
})

test('a client that disconnects while waiting gets no page, and uses no slot', async () => {
  let made = 0
  const pages = boundedPages(async () => {
    made += 1
  })
  await pages(...exchangeOf(true), ANONYMOUS)
  for (let n = 0; n < 5; n++) await pages(...exchangeOf(), ANONYMOUS)
  expect(made).toBe(5)
})

test('a page that fails or never ends blocks no other', async () => {
  let isStuck = true
  const pages = boundedPages(() => (isStuck ? new Promise(() => {}) : Promise.reject(new Error('broken'))))
  pages(...exchangeOf(), ANONYMOUS)
  await immediate()
  isStuck = false
  for (let n = 0; n < 3; n++) await expect(pages(...exchangeOf(), ANONYMOUS)).rejects.toThrow('broken')
})

test('a session whose pages are not read is refused further ones, and no other session is', async () => {
  const pages = boundedPages(async () => {})
  const open: EventEmitter[] = []
  const request = (session?: string) => {
    const [req, res] = exchangeOf()
    open.push(res)
    return pages(req, res, session === undefined ? { isMember: false } : { isMember: true, session })
  }
  for (let n = 0; n < 12; n++) await request('slow')
  await expect(request('slow')).rejects.toThrow('Too much')
  await request('other')
  await expect(request()).rejects.toThrow('Too much')
  for (const res of open) res.emit('close')
  await request('slow')
})

test('steps of a sign-in run one at a time, and delay no other requests', async () => {
  const running: string[] = []
  const handle = boundedSteps(async ({ url }) => {
    running.push(`${url}`)
    await new Promise(() => {})
  })
  const send = async (url: string) => handle({ url } as IncomingMessage, exchangeOf()[1])
  // Those that wait are refused after the test.
  const steps = ['/api/auth/csrf', '/auth/sign-on/begin', '/api/auth/callback/credentials', '/api/auth/csrf']
  for (const url of steps) send(url).catch(() => {})
  await immediate()
  expect(running).toEqual(['/api/auth/csrf'])
  void send('/api/auth/session')
  await immediate()
  expect(running).toEqual(['/api/auth/csrf', '/api/auth/session'])
})

test('a step whose client has disconnected while waiting does nothing', async () => {
  const done: string[] = []
  const handle = boundedSteps(async ({ url }) => void done.push(`${url}`))
  await handle({ url: '/api/auth/csrf' } as IncomingMessage, exchangeOf(true)[1])
  await handle({ url: '/auth/sign-on/begin' } as IncomingMessage, exchangeOf()[1])
  expect(done).toEqual(['/auth/sign-on/begin'])
})

test.for([
  ['waits for its identity provider', '/auth/sign-on/begin'],
  ['checks a password', '/api/auth/callback/credentials'],
])('a step that %s holds its slot for less than 90 ms', async ([, url]) => {
  let count = 0
  const steps = boundedSteps(async () => {
    count += 1
    if (count === 1) await new Promise(() => {})
  })
  const step = async () => steps({ url } as IncomingMessage, exchangeOf()[1])
  void step()
  const second = step().then(() => 'second step')
  // Fixed wait: Node fires timers of a process in the order of their times, however busy the machine is.
  const timer = sleep(90, 'timer')
  expect(await Promise.race([second, timer])).toBe('second step')
})
