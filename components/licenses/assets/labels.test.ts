import { describe, expect, it } from 'vitest'
import { costText } from './cost.ts'
import {
  changeOutcomeText,
  differenceText,
  licensesText,
  limitText,
  planEnd,
  planName,
  type Subscription,
  toQuantityState,
} from './labels.ts'

const END = Date.UTC(2027, 2, 1)

function subscription(
  values: Partial<Subscription['Plan']> & { renewal?: string; status?: string; seats?: number },
) {
  const { renewal, status = 'ACTIVE', seats = 60, ...plan } = values
  return {
    Status: status,
    Plan: { PlanName: 'FLEXIBLE', IsCommitmentPlan: false, CommitmentInterval: null, ...plan },
    RenewalSettings: renewal ? { renewalType: renewal } : null,
    Seats: { NumberOfSeats: seats, MaximumNumberOfSeats: seats, LicensedNumberOfSeats: 1 },
  } as Subscription
}

const committed = { IsCommitmentPlan: true, CommitmentEndTime: END }

describe('texts of a plan', () => {
  it.each([
    ['AUTO_RENEW_MONTHLY_PAY', 'Renews 1 Mar 2027'],
    ['RENEW_CURRENT_USERS_YEARLY_PAY', 'Renews 1 Mar 2027 with the licenses in use'],
    ['SWITCH_TO_PAY_AS_YOU_GO', 'Switches to flexible 1 Mar 2027'],
    ['CANCEL', 'Ends 1 Mar 2027'],
    ['SOMETHING_NEW', 'Renews 1 Mar 2027 (SOMETHING_NEW)'],
    [undefined, 'Committed until 1 Mar 2027'],
  ])('renewal %s', (renewal, text) => {
    expect(planEnd(subscription({ ...committed, ...(renewal ? { renewal } : {}) }))).toBe(text)
  })

  it('returns an unknown name unchanged, and no date where there is none', () => {
    expect(planName(subscription({ PlanName: 'LIFETIME' }))).toBe('LIFETIME')
    expect(planName(subscription({ PlanName: 'ANNUAL_YEARLY_PAY' }))).toBe('Annual, yearly pay')
    expect(planEnd(subscription({}))).toBeUndefined()
  })
})

describe('why a quantity cannot change or fall', () => {
  it.each([
    [subscription({}), undefined],
    [subscription(committed), 'Can’t be lowered before 1 Mar 2027'],
    [subscription({ IsCommitmentPlan: true }), 'Can’t be lowered during the commitment'],
    [subscription({ ...committed, seats: 0 }), undefined],
    [subscription({ status: 'SUSPENDED' }), 'Can’t be changed while suspended'],
    [subscription({ status: 'PENDING', seats: 0 }), 'Can’t be changed while pending'],
  ])('case %#', (values, text) => {
    expect(limitText(toQuantityState(values))).toBe(text)
  })
})

it('states the outcome of a change', () => {
  const change = { from: 240, to: 1250 }
  expect(changeOutcomeText('Business Plus', { ...change, state: 'APPLIED' })).toBe(
    'Business Plus: 240 → 1,250 licenses',
  )
  expect(
    changeOutcomeText('Business Plus', {
      ...change,
      state: 'FAILED',
      vendorReason: 'The vendor did not apply it.',
    }),
  ).toBe('Not changed: Business Plus stays at 240 licenses. The vendor did not apply it.')
  const unclear = {
    from: 1,
    to: 2,
    state: 'UNCLEAR',
    vendorReason: 'We can’t tell whether it came: it shows 3. Compare.',
  }
  expect(changeOutcomeText('Vault', unclear)).toBe('Vault: We can’t tell whether it came.')
  expect(changeOutcomeText('Vault', { from: 1, to: 2, state: 'REJECTED' })).toBe(
    'Not changed: Vault stays at 1 license.',
  )
})

it('states the number and the amount', () => {
  expect([licensesText(1), licensesText(0), licensesText(1200)]).toEqual([
    '1 license',
    '0 licenses',
    '1,200 licenses',
  ])
  expect([differenceText(15), differenceText(-1045)]).toEqual(['+15', '−1,045'])
  const price = { price: '150', currency: 'JPY', months: 1, invoiceId: 'IN-7', invoiceDate: '2026-10-31' }
  expect(costText(-10, price)).toBe(
    'About 1,500 JPY less per billing period, at the price last billed (IN-7, 31 Oct 2026).',
  )
})
