import Big from 'big.js'
import type { NewInvoice, NewLineItem } from '#lib/imports/schemas.ts'
import { addDays } from '#lib/platform/values/days.ts'
import { minorUnit } from '#lib/platform/values/money.ts'
import type { Lines } from './northwind/usage-lines.ts'
import { posted } from './posting.ts'
import { randomFrom } from './random.ts'

/** Invoice without a number. Its total is the sum of its lines. */
export type Bill = {
  platform: string
  issuer: string
  billingProfileId: string
  currency: string
  invoiceDate: string
  lines: Lines
  /** Absent: not stated. */
  billingAccount?: string
  /** Absent: not stated; the end is exclusive. */
  periodStart?: string
  periodEnd?: string
  /** A charge that no line shows, as decimal text: the invoice is not fully itemized. */
  notItemized?: string
  /** Open balance: a share of the total, plus a fee (or minus an overpayment). Absent: none. */
  owed?: { share?: number; plus?: string }
}

const DUE_DAYS = 30

/** Numbers bills by their date, as one issuer does who bills other customers too. Credits have their own numbers. */
export function numberBills(bills: Bill[], { prefix, first, credit }: Numbering): NewInvoice[] {
  const random = randomFrom(`numbers ${prefix} ${first}`)
  const ordered = [...bills].sort(
    (a, b) => compare(a.invoiceDate, b.invoiceDate) || compare(a.platform, b.platform),
  )
  let number = first
  return ordered.map((bill) => {
    number += random.int(1, 9)
    const total = totalOf(bill)
    return invoiceOf(bill, `${total.lt(0) ? credit : prefix}${number}`, total)
  })
}

export type Numbering = { prefix: string; credit: string; first: number }

function invoiceOf({ notItemized: _, owed, ...bill }: Bill, id: string, total: Big): NewInvoice {
  const balance = owed ? total.times(owed.share ?? 0).plus(owed.plus ?? 0) : new Big(0)
  const decimals = minorUnit(bill.currency)
  return posted({
    ...bill,
    number: id,
    dueDate: addDays(bill.invoiceDate, DUE_DAYS),
    totalAmount: total.toFixed(decimals),
    balanceAmount: balance.toFixed(decimals),
  })
}

/** Returns the exact sum of the lines, rounded once to the currency's minor unit. */
function totalOf({ lines, notItemized, currency }: Bill): Big {
  const sum = lines.reduce((total, { price, qty }) => total.plus(new Big(price).times(qty)), new Big(0))
  return sum.plus(notItemized ?? 0).round(minorUnit(currency))
}

/** Returns a single charge, such as support; negative for a discount or credit. */
export function chargeLine(type: string, description: string, amount: string, details: string): NewLineItem {
  return { type, description, price: amount, qty: '1', details }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
