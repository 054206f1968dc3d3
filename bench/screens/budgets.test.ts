import { expect, test } from 'vitest'
import { broken, type Figure, tableOf } from './budgets.ts'

const figure = (value: number): Figure => ({ name: 'a screen', value, most: 45, unit: 'kB' })

test('what is over its budget, or could not be measured, breaks it', () => {
  expect(broken([figure(45), figure(0)])).toEqual([])
  expect(broken([figure(45.01)])).toHaveLength(1)
  expect(broken([figure(Number.NaN)])).toHaveLength(1)
})

test('the table says which', () => {
  expect(
    tableOf([figure(44.96), figure(46)])
      .split('\n')
      .slice(2),
  ).toEqual(['| a screen | 45 kB | 45 kB |  |', '| a screen | 46 kB | 45 kB | over |'])
})
