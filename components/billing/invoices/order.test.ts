import { expect, test, vi } from 'vitest'
import { headOf, orderChoices, orderName, pageWords } from './order.ts'

test('a head begins with the highest or latest, and turns round what it has', () => {
  const onGo = vi.fn()
  const view = { search: 'IN', pageToken: 'x' }
  expect(headOf(view, 'invoiceDate', onGo)).toMatchObject({
    sorted: 'descending',
    href: '/invoices?search=IN&orderBy=invoiceDate%20asc',
  })
  expect(headOf(view, 'totalAmount', onGo)).toMatchObject({
    sorted: undefined,
    href: '/invoices?search=IN&orderBy=totalAmount%20desc',
  })
  const turned = headOf({ ...view, orderBy: 'totalAmount desc' }, 'totalAmount', onGo)
  expect(turned).toMatchObject({
    sorted: 'descending',
    href: '/invoices?search=IN&orderBy=totalAmount%20asc',
  })
  turned.onGo()
  expect(onGo).toHaveBeenCalledExactlyOnceWith({ search: 'IN', orderBy: 'totalAmount asc' })
})

test('the usual order needs no word in the address', () => {
  const onGo = vi.fn()
  expect(headOf({ orderBy: 'invoiceDate asc' }, 'invoiceDate', onGo)).toMatchObject({
    sorted: 'ascending',
    href: '/invoices',
  })
  const [first] = orderChoices({ orderBy: 'dueDate asc' }, onGo)
  expect(first).toMatchObject({ name: 'Newest first', href: '/invoices', chosen: false })
})

test('every order has a name of its own; one of them is chosen', () => {
  const choices = orderChoices({ orderBy: 'balanceAmount asc' }, vi.fn())
  expect(new Set(choices.map(({ name }) => name)).size).toBe(8)
  expect(choices.filter(({ chosen }) => chosen).map(({ name }) => name)).toEqual(['Lowest balance first'])
  expect([orderName({}), orderName({ orderBy: 'dueDate asc' })]).toEqual(['Newest first', 'Due first'])
  expect([pageWords(undefined), pageWords('dueDate asc')]).toEqual([
    ['Newer', 'Older'],
    ['Previous', 'Next'],
  ])
})
