import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { newStore } from './store.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 1000 })
})
afterEach(() => {
  vi.useRealTimers()
})

const one = { customerId: 'c', skuId: 'k', assigned: 0, status: 'ACTIVE', plan: 'P', createdAt: 0 }

test('returns the state of an earlier time, under the id of that time', () => {
  const store = newStore<{ note: string }>()
  store.add({ ...one, id: 'a', total: 10, vendorFields: { note: 'first' } })
  vi.setSystemTime(2000)
  store.setTotal('a', 12, 'client', { note: 'second' })
  vi.setSystemTime(3000)
  store.change('a', { id: 'b', status: 'SUSPENDED' })
  expect(store.asOf(500).find('a')).toMatchObject({ total: 10, vendorFields: { note: 'first' } })
  expect(store.asOf(1999).find('a')).toMatchObject({ total: 10 })
  expect(store.asOf(2000).find('a')).toMatchObject({ total: 12, vendorFields: { note: 'second' } })
  expect(store.asOf(2999).find('b')).toBeUndefined()
  expect(store.find('a')).toBeUndefined()
  expect(store.all()).toMatchObject([
    { id: 'b', total: 12, status: 'SUSPENDED', vendorFields: { note: 'second' } },
  ])
  expect(store.writes).toEqual([{ subscriptionId: 'a', from: 10, to: 12, at: 2000, by: 'client' }])
})

test('returns copies, and undefined for an unknown id', () => {
  const store = newStore<{ list: string[] }>()
  const input = { ...one, id: 'a', total: 10, vendorFields: { list: ['x'] } }
  store.add(input)
  input.vendorFields.list.push('y')
  store.find('a')?.vendorFields.list.push('z')
  expect(store.find('a')?.vendorFields.list).toEqual(['x'])
  expect(() => store.add(input)).toThrow('taken')
  expect(() => store.setTotal('b', 1, 'vendor')).toThrow('There is no subscription b.')
})
