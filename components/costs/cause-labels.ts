import { CAUSE_NAMES } from '#lib/costs/causes/rules.ts'
import type { DifferenceCause } from '#lib/costs/causes/serialize.ts'
import { dayText, monthText } from '#lib/platform/values/days.ts'
import {
  type Decimal,
  formatAmount,
  formatDecimal,
  minorUnit,
  moneyText,
} from '#lib/platform/values/money.ts'

/** Text of a cause: its name, and a note with the figures behind it, if there are any. */
export type CauseLabel = { name: string; note: string | undefined }

/** Returns the amount with its sign: `+2.15`, `−20.00`, and `0.00` for no difference. */
export function signedAmount(amount: Decimal, currency: string): string {
  const text = formatAmount(amount, currency)
  return /^[−0.,]*$/.test(text) || text.startsWith('−') ? text : `+${text}`
}

/** Returns the increase as a share of a positive amount: `+6.2%`. */
export function shareText(from: number, effect: number): string | undefined {
  if (from <= 0 || effect === 0) return undefined
  const percent = (effect / from) * 100
  if (!Number.isFinite(percent) || Math.abs(percent) >= 1000) return undefined
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1).replace('-', '−')}%`
}

/** Returns `Licenses +8 by Sam Okafor on 20 Oct 2026`, `Price`, `Gone`. */
export function causeLabel(cause: DifferenceCause, currency: string): CauseLabel {
  const { change, fromQty = 0, toQty = 0, fromPrice, toPrice, productCount = 0 } = cause
  const name = CAUSE_NAMES[cause.cause]
  switch (cause.cause) {
    case 'licenses':
      if (change) return changeLabel(change, currency)
      return { name: `${name} ${signedNumber(fromQty, toQty)}`, note: turned(fromQty, toQty) }
    case 'usage':
      return { name: `${name} ${signedNumber(fromQty, toQty)}`, note: turned(fromQty, toQty) }
    case 'price': {
      const note =
        fromPrice === undefined || toPrice === undefined
          ? undefined
          : `${turned(fromPrice, toPrice, minorUnit(currency))} for one`
      return { name, note }
    }
    case 'smaller':
      return { name, note: `${productCount.toLocaleString('en')} products, not told one by one` }
    case 'notItemized':
      return { name, note: 'No line shows it' }
    case 'tax':
      return { name, note: cause.product === undefined ? 'Of lines that are billed without it' : undefined }
    case 'taxRate':
      return {
        name,
        note: `${turned(cause.fromTaxRate ?? 0, cause.toTaxRate ?? 0)} percent, in prices with tax`,
      }
    case 'rounding':
      return { name, note: 'Of the sum of the lines' }
    case 'new':
    case 'gone':
      return { name, note: turned(fromQty, toQty) }
    default:
      return { name, note: undefined }
  }
}

type Change = NonNullable<DifferenceCause['change']>

function changeLabel({ at, from, to, by, sure, ...billed }: Change, currency: string): CauseLabel {
  const who = by === undefined ? '' : ` by ${by}`
  const doubt = sure ? '' : ' (likely)'
  const how = billedLabel({ at, ...billed }, currency)
  return {
    name: `Licenses ${signedNumber(from, to)}${who} on ${dayText(at)}${doubt}`,
    note: [turned(from, to), how].filter(Boolean).join('. '),
  }
}

function billedLabel(
  { at, billed, days = 0, ofDays = 0, daysAmount }: Omit<Change, 'from' | 'to' | 'by' | 'sure'>,
  currency: string,
): string | undefined {
  const isMonth = ofDays >= 28 && ofDays <= 31
  const ofThem = `${days.toLocaleString('en')} of ${ofDays.toLocaleString('en')} days`
  const suffix = isMonth ? ` of ${monthText(at)}` : ''
  if (billed === 'days') return `Billed by days: ${ofThem}${suffix}`
  if (billed === 'nextPeriod') return `Billed from the next ${isMonth ? 'month' : 'period'} on`
  if (billed !== 'wholePeriod' || days === ofDays || daysAmount === undefined) return undefined
  const period = isMonth ? 'month' : 'period'
  // A decrease is taken off for the full period, including the days before it.
  const whole = daysAmount < 0 ? `Taken off for the full ${period}` : `The full ${period} is billed`
  return `${whole}; ${ofThem}${suffix} would be ${moneyText(daysAmount, currency)}`
}

function turned(from: number, to: number, digits = 0): string {
  return `${formatDecimal(from, digits)} → ${formatDecimal(to, digits)}`
}

/** Returns the difference of two numbers with its sign and all its decimals: `+8`, `−13,525`. */
function signedNumber(from: number, to: number): string {
  const difference = Number((to - from).toPrecision(12))
  return `${difference > 0 ? '+' : ''}${formatDecimal(difference)}`
}
