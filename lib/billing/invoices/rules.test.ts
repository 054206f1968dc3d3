import { describe, expect, it } from 'vitest'
import { documentName, statusOf, statusOfIssued } from './rules.ts'

describe('statusOf', () => {
  it.each([
    ['0', '2026-01-01', 'PAID'],
    ['0.00', '2026-01-01', 'PAID'],
    ['-0.01', '2026-01-01', 'PAID'],
    ['0.01', '2026-11-19', 'PAST DUE'],
    ['0.01', '2026-11-20', 'OPEN'],
    ['10', '2026-11-21', 'OPEN'],
  ])('returns for a balance of %s due on %s the status %s', (balance, due, status) => {
    expect(statusOf(balance, due, '2026-11-20')).toBe(status)
  })
})

it('A draft or voided invoice has no status, whatever is stored', () => {
  const overdue = { balanceAmount: '1', dueDate: '2026-01-01', today: '2026-11-20' }
  expect(statusOfIssued({ ...overdue, documentState: 'issued' })).toBe('PAST DUE')
  for (const documentState of ['draft', 'voided'] as const)
    expect(statusOfIssued({ ...overdue, documentState })).toBeUndefined()
})

it.each([
  ['invoice', 10, 'Invoice'],
  ['invoice', 0, 'Invoice'],
  ['invoice', -0.01, 'Credit note'],
  ['summary', -5, 'Summary of charges'],
] as const)('An invoice of form %s with a total of %s is called %s', (form, total, name) => {
  expect(documentName(form, total)).toBe(name)
})
