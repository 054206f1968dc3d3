import { expect, test } from 'vitest'
import { distributionOf, type Table } from './table-distribution.ts'

const table = (name: string, more: Partial<Table> = {}): Table => ({
  name,
  hasCustomer: true,
  isUniqueOverAll: false,
  hasRowTrigger: false,
  isLookedUp: false,
  staysHome: false,
  pointsTo: [],
  isUnforced: false,
  parts: [],
  now: 'home',
  ...more,
})

test('a table is placed where its keys can be enforced, together with the tables that it is joined with', () => {
  const distribution = distributionOf([
    table('customers', { hasCustomer: false, isUniqueOverAll: true }),
    table('invoices', { pointsTo: ['customers'] }),
    table('lines', { pointsTo: ['invoices'] }),
    table('keys', { isLookedUp: true, pointsTo: ['customers'] }),
    table('members', { hasRowTrigger: true }),
    table('memberships', { pointsTo: ['members', 'groups'] }),
    table('groups'),
    table('messages', { staysHome: true }),
    table('attempts', { pointsTo: ['messages'] }),
    table('assets'),
    table('people', { hasCustomer: false, isUniqueOverAll: true }),
  ])
  expect(Object.fromEntries(distribution)).toEqual({
    customers: 'everywhere',
    invoices: 'spread',
    lines: 'spread',
    keys: 'home',
    members: 'home',
    memberships: 'home',
    groups: 'home',
    messages: 'home',
    attempts: 'home',
    assets: 'spread',
    people: 'home',
  })
})

test('a table that only coordinator tables point to stays on the coordinator, transitively and in any order of names', () => {
  const chain = [
    table('first', { pointsTo: ['second'] }),
    table('second', { pointsTo: ['third'] }),
    table('third'),
    table('keys', { isLookedUp: true, pointsTo: ['first'] }),
    table('assets'),
  ]
  for (const tables of [chain, chain.toReversed()])
    expect(Object.fromEntries(distributionOf(tables))).toEqual({
      first: 'home',
      second: 'home',
      third: 'home',
      keys: 'home',
      assets: 'spread',
    })
})
