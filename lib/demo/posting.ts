import Big from 'big.js'
import type { NewInvoice, NewLineItem } from '#lib/imports/schemas.ts'
import { minorUnit } from '#lib/platform/values/money.ts'
import type { DemoProfile } from './customers.ts'
import { randomFrom } from './random.ts'

type Tax = { category: string; rate: string | null; reason?: string }

const OUTSIDE: Tax = { category: 'O', rate: null, reason: 'Not subject to VAT' }
const REVERSE: Tax = {
  category: 'AE',
  rate: '0',
  reason: 'Reverse charge, Article 196 of Directive 2006/112/EC',
}

/** Tax of each of the reseller's companies in its own country. */
const LOCAL_TAXES: Record<string, Tax> = {
  'Fernhill Cloud, Inc.': OUTSIDE,
  'Fernhill Cloud B.V.': { category: 'S', rate: '21' },
  'Fernhill Cloud GmbH': { category: 'S', rate: '19' },
  'Fernhill Cloud Ltd': { category: 'S', rate: '20' },
  'Fernhill Cloud K.K.': { category: 'S', rate: '10' },
}
/** Tax where the customer's company is in another country. */
const ABROAD: Record<string, Tax> = {
  'halvorsen-benelux': REVERSE,
  default: { category: 'G', rate: '0', reason: 'Service supplied outside of the European Union' },
}
const TERMS = 'Payable within 30 days of the invoice date, without deduction.'
/** Quantities that are counted in a unit of UN/ECE Recommendation 20. */
const UNITS: Record<string, string> = {
  hour: 'HUR',
  GB: 'E34',
  GiB: 'E62',
  TiB: 'E61',
  instance: 'C62',
  key: 'C62',
}

/** Returns the customer's posting details per billing profile, printed on each invoice without details of its own. */
export function postingOf(profile: Pick<DemoProfile, 'id'>) {
  const random = randomFrom(`posting ${profile.id}`)
  const name =
    profile.id === 'default' ? 'HQ' : (profile.id.split('-').at(-1) ?? '').slice(0, 3).toUpperCase()
  return {
    buyerReference: `${name}-FIN-${random.int(10, 89)}`,
    costCenter: String(4000 + 10 * random.int(0, 99)),
  }
}

/**
 * Returns an invoice with tax, period and the order data known to its issuer. Totals stay the same: billed amounts
 * include tax.
 */
export function posted(invoice: NewInvoice): NewInvoice {
  const { issuer, billingProfileId = 'default', currency, invoiceDate, totalAmount, corrects } = invoice
  const decimals = minorUnit(currency)
  const isAbroad = issuer === 'Fernhill Cloud B.V.' && billingProfileId !== 'northwind-europe'
  const tax = (isAbroad ? ABROAD[billingProfileId] : LOCAL_TAXES[issuer]) ?? OUTSIDE
  const lines = invoice.lines.map((line) => ({
    ...line,
    ...lineTax(line, tax, decimals),
    ...usageOf(line, invoice),
  }))
  const taxAmount = lines.reduce((sum, line) => sum.plus(line.taxAmount), new Big(0))
  const netAmount = new Big(totalAmount).minus(taxAmount)
  const amounts = { netAmount: netAmount.toFixed(decimals), taxAmount: taxAmount.toFixed(decimals) }
  const { category, rate, reason } = tax
  const group = { category, rate, taxableAmount: amounts.netAmount, taxAmount: amounts.taxAmount }
  return {
    ...invoice,
    lines,
    ...amounts,
    taxBreakdown: [{ ...group, ...(reason ? { exemptionReason: reason } : {}) }],
    typeCode: totalAmount.startsWith('-') ? '381' : corrects ? '384' : '380',
    purchaseOrder: purchaseOrderOf(billingProfileId, invoiceDate.slice(0, 4)),
    paymentTerms: TERMS,
  }
}

/** Returns the purchase order of a year. */
function purchaseOrderOf(profile: string, year: string): string {
  return `PO-${year}-${randomFrom(`order ${profile} ${year}`).int(1000, 9999)}`
}

/** Returns the tax within a line's gross amount, rounded to the minor unit. */
function lineTax({ price, qty }: NewLineItem, { category, rate }: Tax, decimals: number) {
  const amount = new Big(price).times(qty)
  const net = amount.div(new Big(rate ?? 0).div(100).plus(1)).round(decimals, Big.roundHalfUp)
  return {
    netAmount: net.toFixed(decimals),
    taxCategory: category,
    ...(rate === null ? {} : { taxRate: rate }),
    taxAmount: amount.minus(net).toFixed(decimals),
  }
}

/** Returns the invoice's period, and the account and unit from the details. */
function usageOf({ type, details }: NewLineItem, { periodStart, periodEnd }: NewInvoice) {
  const subAccount = /^Account (\d+),/.exec(details ?? '')?.[1]
  const unit = /, per (\w+)$/.exec(details ?? '')?.[1]
  const code = type.endsWith('-suite') ? 'C62' : UNITS[unit ?? '']
  return {
    ...(periodStart && periodEnd ? { periodStart, periodEnd } : {}),
    ...(subAccount ? { subAccount } : {}),
    ...(code ? { unit: code } : {}),
  }
}
