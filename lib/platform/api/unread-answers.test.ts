import { expect, test } from 'vitest'
import { checkUnread, holdUnread } from './unread-answers.ts'

const ANSWER = { status: 200, headers: {}, body: Buffer.alloc(25 * 1024 * 1024) }

test('a customer that takes its answers too slowly is refused reads, but no changes, and no other customer is', () => {
  const release = holdUnread(ANSWER, 'slow')
  expect(() => checkUnread('GET', 'slow')).toThrow('Too much')
  checkUnread('POST', 'slow')
  checkUnread('GET', 'other')
  expect(() => checkUnread('GET', undefined)).toThrow('Too much')
  release()
  checkUnread('GET', 'slow')
  checkUnread('GET', undefined)
})

test('a file that is made while it is sent counts by its batches, and an answer without a body not', () => {
  const body = {
    next: async () => ({ done: true }) as const,
    return: async () => {},
    ended: new Promise<never>(() => {}),
  }
  const releases = Array.from({ length: 12 }, () => holdUnread({ ...ANSWER, body }, 'slow'))
  expect(() => checkUnread('GET', 'slow')).toThrow('Too much')
  for (const release of releases) release()
  holdUnread({ ...ANSWER, body: null }, 'slow')
  checkUnread('GET', 'slow')
})
