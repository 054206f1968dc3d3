import { expect, it } from 'vitest'
import type { Renewal, RenewalOrder } from '#lib/licenses/renewal-orders/contract.ts'
import { atRenewalText, datedOrderText } from './labels.ts'

const time = Date.UTC(2027, 2, 1)
const renewal = (values: object) => ({ time, quantity: 120, assigned: 90, ...values }) as Renewal
const order = (values: object) => ({ time, ...values }) as RenewalOrder
const placed = (quantity: number) => ({ order: order({ quantity, isPlaced: true }) })

it.each([
  [{ renewalType: 'AUTO_RENEW' }, 'Renews on 1 Mar 2027 with 120 licenses.'],
  [{ renewalType: 'AUTO_RENEW', ...placed(96) }, 'Renews on 1 Mar 2027 with 96 licenses.'],
  [
    { renewalType: 'AUTO_RENEW', order: order({ quantity: 96, isPlaced: false }) },
    'Renews on 1 Mar 2027 with 120 licenses.',
  ],
  [{ renewalType: 'RENEW_CURRENT_USERS' }, 'Renews on 1 Mar 2027 with the licenses in use.'],
  [
    { renewalType: 'EXTENDED_SERVICE_TERM' },
    'Continues on 1 Mar 2027 with 120 licenses as a paid Extended Service Term, at a surcharge.',
  ],
  [{ renewalType: 'SWITCH_TO_PAY_AS_YOU_GO' }, 'Switches to flexible on 1 Mar 2027.'],
  [{ renewalType: 'CANCEL' }, 'Ends on 1 Mar 2027.'],
  [{}, 'Commitment ends on 1 Mar 2027.'],
  [{ renewalType: 'CANCEL', time: undefined }, 'Ends when its term ends.'],
])('The end of a term with %j is described', (values, text) => {
  expect(atRenewalText(renewal(values))).toBe(text)
})

it.each([
  [{ quantity: 96 }, '96 licenses from 1 Mar 2027'],
  [{ renewalType: 'CANCEL', action: 'cancel' }, 'Ends on 1 Mar 2027'],
  [
    { renewalType: 'EXTENDED_SERVICE_TERM', action: 'extended-term' },
    'Continues on 1 Mar 2027 as a paid Extended Service Term, at a surcharge',
  ],
  [{ renewalType: 'AUTO_RENEW' }, 'Renews on 1 Mar 2027 with the same licenses'],
])('The order %j is described with its date', (values, text) => {
  expect(datedOrderText(order(values))).toBe(text)
})
