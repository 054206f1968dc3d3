import { amountError, Exact, type roundMoney } from '#lib/platform/values/decimals.ts'
import { minorUnit } from '#lib/platform/values/money.ts'

type Big = ReturnType<typeof roundMoney>

/**
 * Kinds of rows: `reported` is a balance of the issuer from a file, and `opening` an amount that was settled before
 * payments were recorded.
 */
export const PAYMENT_KINDS = ['payment', 'refund', 'write-off', 'reported', 'opening'] as const
export type PaymentKind = (typeof PAYMENT_KINDS)[number]

export const PAYMENT_KIND_NAMES: Record<PaymentKind, string> = {
  payment: 'Payment',
  refund: 'Refund',
  'write-off': 'Write-off',
  reported: 'Balance reported by the issuer',
  opening: 'Opening balance',
}

export const PAYMENT_FILTER_KEYS = ['kind', 'currency', 'state', 'invoice'] as const
/** `unassigned`: a part of it is the customer's credit. */
export const PAYMENT_STATES = ['recorded', 'unassigned', 'reversed'] as const

/** Invoice that a payment may settle; amounts are exact decimal text, days `YYYY-MM-DD`. */
export type Payable = {
  id: string
  /** Id on the wire, for messages. */
  wireId: string
  billingProfileId: string
  currency: string
  documentState: string
  invoiceDate: string
  balanceAmount: string
  /** Balance in whole minor units, less the credit notes that are set off. */
  payableAmount: string
}

/** Invoice to settle, and how much of it; without an amount, as much as is open. */
export type Target = { invoice: Payable; amount?: string | undefined }

/** Part of a payment; `invoiceId` null is the customer's credit. */
export type Part = { invoiceId: string | null; amount: string; bookedOn: string }

export type Allocation =
  | { allowed: true; parts: { invoice: Payable; amount: string }[]; rest: string }
  | { allowed: false; reason: string }

/**
 * Divides an amount among invoices, in their order. The rest is the customer's credit.
 * @param amount exact decimal text; negative for a refund of credit notes
 */
export function decideAllocation(amount: string, currency: string, targets: readonly Target[]): Allocation {
  const sign = amount.startsWith('-') ? -1 : 1
  let rest = new Exact(amount).times(sign)
  const parts: { invoice: Payable; amount: string }[] = []
  for (const { invoice, amount: requested } of targets) {
    const reason = invoiceError(invoice, currency) ?? (requested && partError(invoice, requested, sign, rest))
    if (reason) return { allowed: false, reason }
    const part = requested === undefined ? smaller(openOf(invoice, sign), rest) : new Exact(requested)
    if (part.lte(0)) continue
    parts.push({ invoice, amount: part.times(sign).toFixed() })
    rest = rest.minus(part)
  }
  return { allowed: true, parts, rest: rest.times(sign).toFixed() }
}

function invoiceError({ wireId, currency, documentState }: Payable, expected: string): string | undefined {
  if (documentState !== 'issued') return `Invoice ${wireId} is ${documentState}, and nothing of it is owed.`
  if (currency !== expected) return `Invoice ${wireId} is in ${currency}, not in ${expected}.`
  return undefined
}

function partError(invoice: Payable, requested: string, sign: 1 | -1, rest: Big): string | undefined {
  const { wireId, balanceAmount, currency } = invoice
  const part = new Exact(requested)
  const wrong = amountError(part, currency)
  if (wrong) return `${requested} for invoice ${wireId} ${wrong}.`
  if (part.gt(rest)) return `${requested} ${currency} for invoice ${wireId} is more than is left to assign.`
  const open = largest(new Exact(balanceAmount).times(sign), openOf(invoice, sign))
  if (part.lte(open)) return undefined
  return `${requested} ${currency} is more than the ${largest(open, new Exact(0)).toFixed()} that is open of invoice ${wireId}.`
}

function openOf({ payableAmount }: Payable, sign: 1 | -1): Big {
  return new Exact(payableAmount).times(sign)
}

const smaller = (a: Big, b: Big) => (a.lt(b) ? a : b)
const largest = (a: Big, b: Big) => (a.gt(b) ? a : b)

/**
 * Returns the parts of an amount by day: a part for an invoice that is dated later is the customer's credit until
 * then.
 */
export function partsOf(
  allocation: Extract<Allocation, { allowed: true }>,
  day: string,
  { isCredit = false }: { isCredit?: boolean } = {},
): Part[] {
  const parts = allocation.parts.flatMap(({ invoice, amount }): Part[] => {
    const bookedOn = invoice.invoiceDate > day ? invoice.invoiceDate : day
    const paying: Part = { invoiceId: invoice.id, amount, bookedOn }
    const used: Part = { invoiceId: null, amount: new Exact(amount).neg().toFixed(), bookedOn }
    if (isCredit) return [used, paying]
    return bookedOn === day ? [paying] : [{ invoiceId: null, amount, bookedOn: day }, used, paying]
  })
  if (isCredit || new Exact(allocation.rest).eq(0)) return parts
  return [...parts, { invoiceId: null, amount: allocation.rest, bookedOn: day }]
}

/** Largest amount that is written off in currencies without a configured limit, in minor units. */
const DEFAULT_LIMIT_UNITS = 100

/** Returns the largest amount of a currency that may be written off, as exact decimal text. */
function writeOffLimit(currency: string, limits: ReadonlyMap<string, string>): string {
  return limits.get(currency) ?? new Exact(DEFAULT_LIMIT_UNITS).div(10 ** minorUnit(currency)).toFixed()
}

export type WriteOff = { allowed: true; amount: string } | { allowed: false; reason: string }

/** Decides whether the open amount of an invoice may be written off. */
export function decideWriteOff(invoice: Payable, limits: ReadonlyMap<string, string>): WriteOff {
  const { wireId, currency, payableAmount } = invoice
  const reason = invoiceError(invoice, currency)
  if (reason) return { allowed: false, reason }
  if (new Exact(payableAmount).eq(0))
    return { allowed: false, reason: `Nothing of invoice ${wireId} is open.` }
  const limit = writeOffLimit(currency, limits)
  if (new Exact(payableAmount).abs().lte(limit)) return { allowed: true, amount: payableAmount }
  return {
    allowed: false,
    reason: `${payableAmount} ${currency} of invoice ${wireId} is open, and at most ${limit} ${currency} is written off.`,
  }
}
