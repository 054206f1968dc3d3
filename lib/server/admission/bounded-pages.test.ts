import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as immediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { boundedPages } from './bounded-pages.ts'

const exchangeOf = (destroyed = false) => [{} as IncomingMessage, { destroyed } as ServerResponse] as const
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
