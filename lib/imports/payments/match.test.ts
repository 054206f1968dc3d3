import { describe, expect, test } from 'vitest'
import { type Candidate, matchTransaction } from './match.ts'
import type { BankTransaction } from './transaction.ts'

const invoice = (number: string, open: string, more: Partial<Candidate> = {}): Candidate => ({
  ...{ id: number, wireId: number, number, currency: 'EUR', dueDate: '2026-11-30', open },
  ...more,
})
const pays = (candidates: Candidate[], fields: Partial<BankTransaction>) =>
  matchTransaction(
    {
      ...{
        reference: 'T-1',
        paidOn: '2026-11-10',
        amount: '10',
        currency: 'EUR',
        location: 'line 2',
        line: 2,
      },
      ...fields,
    },
    candidates,
    [],
  )?.invoices.map(({ id }) => id)

describe('numbers that differ in punctuation only', () => {
  const both = [invoice('INV-1-12', '10'), invoice('INV-11-2', '20')]

  test.each<[string, Partial<BankTransaction>]>([
    ['a text', { remittance: 'Rechnung inv-11-2 danke' }],
    ['an end-to-end reference', { endToEndId: 'INV-11-2' }],
    ['a field for them', { documentNumbers: ['INV-11-2'] }],
  ])('are distinguished in %s', (_, fields) => {
    expect(pays(both, fields)).toEqual(['INV-11-2'])
  })

  test('are one number without punctuation, which the amount decides', () => {
    expect(pays(both, { endToEndId: 'INV112' })).toEqual(['INV-1-12'])
    expect(pays(both, { endToEndId: 'INV112', amount: '7' })).toBeUndefined()
    expect(pays([invoice('INV-1-12', '10')], { endToEndId: 'INV112', amount: '7' })).toEqual(['INV-1-12'])
  })
})

test('numbers of two issuers that differ in case only are one number, which the amount decides', () => {
  const both = [invoice('inv-77', '10'), invoice('INV-77', '20')]
  expect(pays(both, { remittance: 'INV-77', amount: '20' })).toEqual(['INV-77'])
  expect(pays(both, { remittance: 'INV-77', amount: '30' })).toBeUndefined()
})

test('a number next to an amount is not a longer number that the bank has broken', () => {
  const numbers = [invoice('INV-20', '10'), invoice('INV-2012', '12')]
  expect(pays(numbers, { remittance: 'INV-20 12 EUR' })).toEqual(['INV-20'])
  expect(pays(numbers, { remittance: 'INV-20 12' })).toEqual(['INV-20'])
  expect(pays([invoice('INV-2012', '12')], { remittance: 'INV-20 12' })).toEqual(['INV-2012'])
})
