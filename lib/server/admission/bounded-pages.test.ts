import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { boundedPages } from './bounded-pages.ts'

const gone = (destroyed = false) => [{} as IncomingMessage, { destroyed } as ServerResponse] as const
const [STRANGER, MEMBER] = [{ isMember: false }, { isMember: true }]

test('a flood of strangers makes one page at once, and keeps no member waiting', async () => {
  const making: (() => void)[] = []
  const pages = boundedPages(() => new Promise((resolve) => making.push(() => resolve())))
  const strangers = Array.from({ length: 60 }, () => pages(...gone(), STRANGER))
  const refused = Promise.allSettled(strangers)
  await turn()
  expect(making).toHaveLength(1)
  const members = [pages(...gone(), MEMBER), pages(...gone(), MEMBER)]
  await turn()
  expect(making).toHaveLength(3)
  const end = setInterval(() => making.shift()?.(), 1)
  await Promise.all(members)
  // One was made and fifty waited.
  expect((await refused).filter(({ status }) => status === 'rejected')).toHaveLength(9)
  clearInterval(end)
})

test('who has gone while waiting gets no page, and takes no place', async () => {
  let made = 0
  const pages = boundedPages(async () => {
    made += 1
  })
  await pages(...gone(true), STRANGER)
  for (let n = 0; n < 5; n++) await pages(...gone(), STRANGER)
  expect(made).toBe(5)
})

test('a page that fails or never ends holds up nobody', async () => {
  let isStuck = true
  const pages = boundedPages(() => (isStuck ? new Promise(() => {}) : Promise.reject(new Error('broken'))))
  pages(...gone(), STRANGER)
  await turn()
  isStuck = false
  for (let n = 0; n < 3; n++) await expect(pages(...gone(), STRANGER)).rejects.toThrow('broken')
})
