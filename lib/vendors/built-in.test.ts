import { expect, test } from 'vitest'
import { builtIn } from './built-in.ts'

const set = (purchased: number, maximum: number, total: number) =>
  builtIn.predictOutcome({ seats: { purchased, maximum, assigned: 4 } }, total)

test('the cap follows the purchased licenses', () => {
  const seats = { purchased: 12, maximum: 12, assigned: 4 }
  expect(set(10, 10, 12)).toEqual({ kind: 'applied', seats })
  expect(set(10, 10, 4)).toMatchObject({ seats: { purchased: 4, maximum: 4 } })
})

test('an explicit cap is kept, and is never below the purchased licenses', () => {
  expect(set(120, 300, 121)).toMatchObject({ seats: { purchased: 121, maximum: 300 } })
  expect(set(120, 300, 300)).toMatchObject({ seats: { purchased: 300, maximum: 300 } })
  expect(set(120, 300, 301)).toMatchObject({ seats: { purchased: 301, maximum: 301 } })
})

test('licenses in use can’t be cancelled', () => {
  const reason = expect.stringContaining('Unassign 1')
  expect(set(10, 10, 3)).toEqual({ kind: 'rejected', code: 'vendor_rejected', reason })
})
