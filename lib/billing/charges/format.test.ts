import { expect, test } from 'vitest'
import { reconciliationText } from './format.ts'

const NONE = { count: 0, amount: 0 }
const AGREES = {
  ...{ count: 1204, amount: 10, agrees: true, differenceAmount: 0, roundingAmount: 0, corrections: NONE },
  ...{ apart: NONE, withoutLine: NONE, withoutCharges: NONE },
}

test.each([
  [AGREES, 'Each line equals the sum of its charges: 1,204 charges of 10.00 USD.'],
  [
    { ...AGREES, count: 1, amount: 9.998, roundingAmount: 0.002 },
    'Each line equals the sum of its charges: 1 charge of 9.998 USD, but for 0.002 USD of rounding.',
  ],
  [
    { ...AGREES, withoutLine: undefined },
    'The total equals the sum of the charges: 1,204 charges of 10.00 USD.',
  ],
  [
    {
      ...{ ...AGREES, agrees: false, differenceAmount: -87.4 },
      ...{ apart: { count: 1, amount: 12.4 }, withoutLine: { count: 2, amount: 5 } },
      withoutCharges: { count: 1, amount: 80 },
    },
    'The total is 87.40 USD less than the 1,204 charges of 10.00 USD: 1 line differs from its charges by +12.40 USD; 2 charges of 5.00 USD lead to no line; 1 line of 80.00 USD has no charges.',
  ],
  [
    { ...AGREES, agrees: false, apart: { count: 2, amount: 0 } },
    'The total is that of the 1,204 charges of 10.00 USD, and its lines don’t equal the sums of their charges: 2 lines differ from their charges by 0.00 USD.',
  ],
  [
    {
      ...AGREES,
      agrees: false,
      differenceAmount: 3,
      apart: undefined,
      withoutLine: undefined,
      withoutCharges: undefined,
    },
    'The total is 3.00 USD more than the 1,204 charges of 10.00 USD.',
  ],
])('%#', (charges, text) => {
  expect(reconciliationText(charges, 'USD')).toBe(text)
})
