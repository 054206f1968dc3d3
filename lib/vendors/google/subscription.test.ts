import { expect, test } from 'vitest'
import { boughtSeats, planNameOf, seatField } from './subscription.ts'

const plan = (planName: string, isCommitmentPlan: boolean) => ({ planName, isCommitmentPlan })

test.each([
  ['ANNUAL', true, 'numberOfSeats'],
  ['ANNUAL_MONTHLY_PAY', true, 'numberOfSeats'],
  ['ANNUAL_YEARLY_PAY', false, 'numberOfSeats'],
  ['FLEXIBLE', false, 'maximumNumberOfSeats'],
  ['FLEXIBLE', true, 'maximumNumberOfSeats'],
  ['TRIAL', false, 'maximumNumberOfSeats'],
  ['ANNUALLY', false, 'maximumNumberOfSeats'],
  ['MONTHLY', true, 'numberOfSeats'],
  ['FREE', false, 'maximumNumberOfSeats'],
])('%s, commitment %s, is purchased by %s', (name, isCommitmentPlan, field) => {
  expect(seatField(plan(name, isCommitmentPlan))).toBe(field)
})

test.each([
  ['ANNUAL', { numberOfSeats: 0 }, { purchased: 0, maximum: 0 }],
  ['ANNUAL', { numberOfSeats: 5, maximumNumberOfSeats: 500 }, { purchased: 5, maximum: 500 }],
  ['ANNUAL', { maximumNumberOfSeats: 500 }, undefined],
  ['FLEXIBLE', { maximumNumberOfSeats: 7 }, { purchased: 7, maximum: 7 }],
  ['FLEXIBLE', { numberOfSeats: 3, maximumNumberOfSeats: 7 }, { purchased: 7, maximum: 7 }],
  ['FLEXIBLE', { numberOfSeats: 3 }, { purchased: 3, maximum: 3 }],
  ['FLEXIBLE', {}, undefined],
])('%s with %j', (name, seats, bought) => {
  expect(boughtSeats(plan(name, name === 'ANNUAL'), seats)).toEqual(bought)
})

test('reads and writes use different names of the monthly plan', () => {
  expect(['ANNUAL', 'ANNUAL_YEARLY_PAY', 'OTHER'].map(planNameOf)).toEqual([
    'ANNUAL_MONTHLY_PAY',
    'ANNUAL_YEARLY_PAY',
    'OTHER',
  ])
})
