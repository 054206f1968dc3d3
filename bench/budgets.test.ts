import { expect, test } from 'vitest'
import { broken, budgetTable, type Measurement } from './budgets.ts'

const atMost = (value: number): Measurement => ({ name: 'a screen', value, max: 45, unit: 'kB' })
const atLeast = (value: number): Measurement => ({ name: 'a list', value, min: 2, unit: '×' })

test('a measurement that is over or under its budget, or missing, breaks it', () => {
  expect(broken([atMost(45), atMost(0), atLeast(2), atLeast(3)])).toEqual([])
  expect(broken([atMost(45.01)])).toHaveLength(1)
  expect(broken([atLeast(1.99)])).toHaveLength(1)
  expect(broken([atMost(Number.NaN), atLeast(Number.NaN)])).toHaveLength(2)
})

test('the table marks broken budgets', () => {
  expect(
    budgetTable([atMost(44.96), atMost(46), atLeast(1.5)])
      .split('\n')
      .slice(2),
  ).toEqual([
    '| a screen | 44.96 kB | ≤ 45 kB |  |',
    '| a screen | 46 kB | ≤ 45 kB | broken |',
    '| a list | 1.5 × | ≥ 2 × | broken |',
  ])
})
