import { expect, test, vi } from 'vitest'
import { pagerLabels } from '#components/lists/filters/list-sort.ts'
import { sortableHeaderProps, sortName, sortOptions } from './sort.ts'

test('a column header sorts from the highest or latest, and reverses its own order', () => {
  const onNavigate = vi.fn()
  const view = { search: 'IN', pageToken: 'x' }
  expect(sortableHeaderProps(view, 'invoiceDate', onNavigate)).toMatchObject({
    sorted: 'descending',
    href: '/invoices?search=IN&orderBy=invoiceDate%20asc',
  })
  expect(sortableHeaderProps(view, 'totalAmount', onNavigate)).toMatchObject({
    sorted: undefined,
    href: '/invoices?search=IN&orderBy=totalAmount%20desc',
  })
  const turned = sortableHeaderProps({ ...view, orderBy: 'totalAmount desc' }, 'totalAmount', onNavigate)
  expect(turned).toMatchObject({
    sorted: 'descending',
    href: '/invoices?search=IN&orderBy=totalAmount%20asc',
  })
  turned.onNavigate()
  expect(onNavigate).toHaveBeenCalledExactlyOnceWith({ search: 'IN', orderBy: 'totalAmount asc' })
})

test('the default order is not part of the address', () => {
  const onNavigate = vi.fn()
  expect(sortableHeaderProps({ orderBy: 'invoiceDate asc' }, 'invoiceDate', onNavigate)).toMatchObject({
    sorted: 'ascending',
    href: '/invoices',
  })
  const [first] = sortOptions({ orderBy: 'dueDate asc' }, onNavigate)
  expect(first).toMatchObject({ name: 'Newest first', href: '/invoices', selected: false })
})

test('each order has a unique name, and one order is selected', () => {
  const choices = sortOptions({ orderBy: 'balanceAmount asc' }, vi.fn())
  expect(new Set(choices.map(({ name }) => name)).size).toBe(8)
  expect(choices.filter(({ selected }) => selected).map(({ name }) => name)).toEqual(['Lowest balance first'])
  expect([sortName({}), sortName({ orderBy: 'dueDate asc' })]).toEqual(['Newest first', 'Due first'])
  expect([pagerLabels(undefined), pagerLabels('dueDate asc')]).toEqual([
    ['Newer', 'Older'],
    ['Previous', 'Next'],
  ])
})
