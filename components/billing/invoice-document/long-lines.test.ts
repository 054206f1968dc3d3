import { expect, test } from 'vitest'
import { matchLines, sumsOfLines } from './long-lines.tsx'

const line = (description: string, details: string, exact: number, otherCurrency?: string) => ({
  ...{ description, details, exact },
  ...(otherCurrency ? { otherCurrency } : {}),
})
const rows = [
  line('Object storage', '1 Sep – 30 Sep', 0.1),
  line('Network egress', 'Zürich', 0.2),
  line('Support', '', -1e-7),
  line('Support in yen', '', 100, 'JPY'),
]

test.each([
  ['', 4],
  ['  ', 4],
  ['SUPPORT', 2],
  ['zürich', 1],
  ['30 sep', 1],
  ['nothing', 0],
])('%j finds %i of the lines', (search, count) => {
  expect(matchLines(rows, search)).toHaveLength(count)
})

test('sums of lines are exact, and separate per currency', () => {
  expect(sumsOfLines(rows, 'USD')).toEqual([
    { currency: 'USD', amount: '0.2999999' },
    { currency: 'JPY', amount: '100' },
  ])
  expect(sumsOfLines(rows.toReversed(), 'USD')[0]?.currency).toBe('USD')
  expect(sumsOfLines([], 'USD')).toEqual([])
  const many = Array.from({ length: 3000 }, () => line('Compute', '', 0.01))
  expect(sumsOfLines(many, 'USD')).toEqual([{ currency: 'USD', amount: '30' }])
})
