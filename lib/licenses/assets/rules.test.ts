import { expect, it } from 'vitest'
import { atEndText, outcomeOf, planKindOf, usageOf } from './rules.ts'

it.each([
  ['AUTO_RENEW_YEARLY_PAY', 'renews', 'Renews'],
  ['RENEW_CURRENT_USERS_MONTHLY_PAY', 'renews', 'Renews with the licenses in use'],
  ['SWITCH_TO_PAY_AS_YOU_GO', 'flexible', 'Switches to flexible'],
  ['CANCEL', 'ends', 'Ends'],
  ['EXTENDED_SERVICE_TERM', 'extended-term', 'Continues as a paid Extended Service Term, at a surcharge'],
  [
    'EXTENDED_SERVICE_TERM_UNLESS_CANCELLED',
    'extended-term',
    'Continues as a paid Extended Service Term, at a surcharge, unless cancelled',
  ],
  ['SOMETHING_NEW', 'renews', 'Renews (SOMETHING_NEW)'],
  [null, undefined, 'Commitment ends'],
])('The end of a commitment with %s is described in words', (renewalType, outcome, text) => {
  expect([outcomeOf(renewalType), atEndText(renewalType)]).toEqual([outcome, text])
})

it.each([
  [0, 0, 'full'],
  [1, 0, 'idle'],
  [5, 3, 'idle'],
  [5, 4, 'used'],
  [10, 8, 'used'],
  [10, 7, 'idle'],
  [10, 10, 'full'],
  [10, 12, 'full'],
  [1_000_000, 799_999, 'idle'],
  [1_000_000, 800_000, 'used'],
])('Usage of %i licenses with %i assigned is %s', (purchased, assigned, usage) => {
  expect(usageOf({ purchased, assigned })).toBe(usage)
})

it.each([
  [{ planName: null, isCommitmentPlan: null }, 'usage-based'],
  [{ planName: 'TRIAL', isCommitmentPlan: true }, 'commitment'],
  [{ planName: 'TRIAL', isCommitmentPlan: false }, 'trial'],
  [{ planName: 'SOMETHING', isCommitmentPlan: false }, 'flexible'],
])('%j is %s', (plan, kind) => {
  expect(planKindOf(plan)).toBe(kind)
})
