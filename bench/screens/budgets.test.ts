import { expect, test } from 'vitest'
import { broken, type Measurement, tableOf } from './budgets.ts'

const measurement = (value: number): Measurement => ({ name: 'a screen', value, most: 45, unit: 'kB' })

test('a measurement that is over its budget or missing breaks it', () => {
  expect(broken([measurement(45), measurement(0)])).toEqual([])
  expect(broken([measurement(45.01)])).toHaveLength(1)
  expect(broken([measurement(Number.NaN)])).toHaveLength(1)
})

test('the table marks broken budgets', () => {
  expect(
    tableOf([measurement(44.96), measurement(46)])
      .split('\n')
      .slice(2),
  ).toEqual(['| a screen | 45 kB | 45 kB |  |', '| a screen | 46 kB | 45 kB | over |'])
})
