import type Big from 'big.js'
import { Exact, payableOf } from '#lib/platform/values/decimals.ts'
import { type Decimal, formatAmount, isFiner, minorUnit, moneyText } from '#lib/platform/values/money.ts'

type Labelled = { label: string; amount: string }

/**
 * Steps from an invoice's total to its open amount; amounts are plain decimal text in its currency. A balance may exceed
 * the total, if something was added after the issue, or be negative, which is a credit.
 */
export type Settlement = {
  total: string
  /** Balance less total, with its reason: what was paid, credited, refunded or added since. */
  adjustment: Labelled
  /** Present only where the balance can't be paid exactly: the balance, and its rounding. */
  finer?: [exact: Labelled, rounding: Labelled]
  /** Present only where a credit note is set off: the change of the payable amount. */
  setOff?: Labelled
  /** Payable amount, in whole minor units. */
  balance: Labelled
}

type Billed = {
  totalAmount: Decimal
  balanceAmount: Decimal
  /** Payable amount, where it differs from the balance. */
  payableAmount?: Decimal | undefined
  currency: string
}

/** Returns the steps from an invoice's total to its payable amount, with labels and exact amounts. */
export function settlementOf({ totalAmount, balanceAmount, payableAmount, currency }: Billed): Settlement {
  const total = new Exact(totalAmount)
  const exact = new Exact(balanceAmount)
  const rounded = payableOf(balanceAmount, currency)
  const payable = payableOf(payableAmount ?? balanceAmount, currency)
  const rounding = { label: 'Rounding', amount: new Exact(rounded).minus(exact).toFixed() }
  const setOff = new Exact(payable).minus(rounded)
  return {
    total: total.toFixed(),
    adjustment: { label: adjustmentLabel(total, exact), amount: exact.minus(total).toFixed() },
    ...(isFiner(balanceAmount, currency)
      ? { finer: [{ label: 'Exact balance', amount: exact.toFixed() }, rounding] }
      : {}),
    ...(setOff.eq(0)
      ? {}
      : {
          setOff: {
            label: setOff.lt(0) ? 'Credit notes set off' : 'Set off against the invoice',
            amount: setOff.toFixed(),
          },
        }),
    balance: { label: exact.lt(0) ? 'Credit balance' : 'Balance due', amount: payable },
  }
}

/** Explains why the payable amount differs from the balance; undefined where they are equal. */
export function roundingText({
  balanceAmount,
  currency,
}: Pick<Billed, 'balanceAmount' | 'currency'>): string | undefined {
  if (!isFiner(balanceAmount, currency)) return undefined
  const least = formatAmount(`1e-${minorUnit(currency)}`, currency)
  return `The exact balance is ${moneyText(balanceAmount, currency)}. No amount below ${least} can be paid in ${currency}: it is rounded, a half away from zero.`
}

function adjustmentLabel(total: Big, balance: Big): string {
  const moved = balance.minus(total)
  if (moved.gt(0)) return total.lt(0) ? 'Refunded or used' : 'Added after issue'
  return 'Payments and credits'
}
