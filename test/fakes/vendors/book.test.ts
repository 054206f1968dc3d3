import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { newBook } from './book.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 1000 })
})
afterEach(() => {
  vi.useRealTimers()
})

const one = { customerId: 'c', skuId: 'k', assigned: 0, status: 'ACTIVE', plan: 'P', createdAt: 0 }

test('remembers what was true when, under the id that it had then', () => {
  const book = newBook<{ note: string }>()
  book.add({ ...one, id: 'a', total: 10, own: { note: 'first' } })
  vi.setSystemTime(2000)
  book.setTotal('a', 12, 'client', { note: 'second' })
  vi.setSystemTime(3000)
  book.change('a', { id: 'b', status: 'SUSPENDED' })
  expect(book.asOf(500).find('a')).toMatchObject({ total: 10, own: { note: 'first' } })
  expect(book.asOf(1999).find('a')).toMatchObject({ total: 10 })
  expect(book.asOf(2000).find('a')).toMatchObject({ total: 12, own: { note: 'second' } })
  expect(book.asOf(2999).find('b')).toBeUndefined()
  expect(book.find('a')).toBeUndefined()
  expect(book.all()).toMatchObject([{ id: 'b', total: 12, status: 'SUSPENDED', own: { note: 'second' } }])
  expect(book.writes).toEqual([{ subscriptionId: 'a', from: 10, to: 12, at: 2000, by: 'client' }])
})

test('gives copies, and knows what it has not', () => {
  const book = newBook<{ list: string[] }>()
  const given = { ...one, id: 'a', total: 10, own: { list: ['x'] } }
  book.add(given)
  given.own.list.push('y')
  book.find('a')?.own.list.push('z')
  expect(book.find('a')?.own.list).toEqual(['x'])
  expect(() => book.add(given)).toThrow('taken')
  expect(() => book.setTotal('b', 1, 'vendor')).toThrow('There is no subscription b.')
})
