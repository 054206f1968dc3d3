import { createHash } from 'node:crypto'
import Big from 'big.js'
import type { NewInvoice, NewLineItem } from '#lib/imports/schemas.ts'
import { addDays, dayOf } from '#lib/platform/values/days.ts'
import { minorUnit } from '#lib/platform/values/money.ts'
import { issuerLineOf, linePostingOfUsage } from '../posting/usage.ts'
import type { Bill, ChargeGroup } from './bill.ts'
import type { Platforms } from './platforms.ts'
import { roundTogether } from './rounding.ts'
import type { Terms } from './terms.ts'

/**
 * Converts a bill to an invoice: the exact sum rounded to the minor unit, one line per group of charges.
 * @param now decides whether the period of charges without an invoice still runs: the invoice is a draft then
 */
export function invoiceOf(bill: Bill, terms: Terms, now: Date): NewInvoice {
  const { platforms, dueDays, paid } = terms
  const charges = bill.charges.toSorted(mostExpensiveFirst)
  const { total, shares } = rounded(charges, bill.currency)
  // The end is exclusive, so the last day of the period is the one that holds the moment before.
  const last = dayOf(bill.end - 1)
  const invoiceDate = bill.issue?.issueDate ?? last
  const dueDate = bill.issue?.dueDate ?? addDays(invoiceDate, dueDays)
  const runs = bill.invoiceId === undefined && bill.end > now.getTime()
  const documentState = bill.issue?.state ?? (runs ? 'draft' : 'issued')
  const [corrects, ...others] = bill.issue?.corrects ?? []
  const profile = bill.owner?.billingProfile
  return {
    number: numberOf(bill, terms),
    isNumbered: bill.invoiceId !== undefined,
    ...waiting(bill, terms),
    documentState,
    // A vendor that issues invoices has issued none of these lines, unless it states so; a reseller has.
    form: bill.issue === undefined && terms.issuer === undefined ? 'summary' : 'invoice',
    ...(profile === undefined ? {} : { billingProfileId: profile }),
    platform: mainPlatform(charges, platforms),
    issuer: bill.issuer,
    invoiceDate,
    // A due date without a date of issue may lie within the period.
    dueDate: maxDay(dueDate, invoiceDate),
    currency: bill.currency,
    totalAmount: total,
    ...(paid && documentState === 'issued' ? { balanceAmount: '0' } : {}),
    ...(bill.account === undefined ? { accounts: bill.accounts } : { billingAccount: bill.account }),
    periodStart: dayOf(bill.start),
    periodEnd: addDays(last, 1),
    ...(corrects !== undefined && others.length === 0 ? { corrects: divided(corrects, profile) } : {}),
    ...postingOfBill(bill, charges, shares, terms),
    lines: charges.map((charge) => ({
      ...lineOf(charge, shares.get(charge) ?? '0', platforms),
      ...(bill.issue === undefined ? {} : issuerLineOf(charge, bill.currency)),
      ...linePostingOfUsage(charge.usage, {
        hasAccount: bill.account !== undefined,
        hasPurchaseOrder: bill.issue?.order !== undefined,
        hasQuantity: charge.priced?.each !== undefined,
      }),
    })),
  }
}

/** Returns whether the issuer may still bill it; a reseller bills resold charges itself. */
function waiting({ awaitsBill }: Bill, { issuer }: Terms) {
  return awaitsBill && issuer === undefined ? { awaitsBill } : {}
}

/**
 * Returns the rounded total, and the rounded amount of each line; a line that has no quantity with a fixed price stays
 * exact.
 */
function rounded(charges: readonly ChargeGroup[], currency: string) {
  const isExact = ({ priced }: ChargeGroup) => priced?.each !== undefined
  const others = charges.filter((charge) => !isExact(charge))
  const unrounded = charges.filter(isExact).reduce((sum, { cost }) => sum.plus(cost), new Big(0))
  const costs = others.map(({ cost }) => cost)
  const { total, shares } = roundTogether(costs, minorUnit(currency), unrounded)
  return { total, shares: new Map(others.map((charge, index) => [charge, shares[index] ?? '0'])) }
}

function lineOf(charge: ChargeGroup, share: string, platforms: Platforms): NewLineItem {
  const { provider, service, category, count, sku, detail, priced } = charge
  const counted = `${count.toLocaleString('en-US')} ${count === 1 ? 'charge' : 'charges'}`
  const details = [category, ...(detail === undefined ? [counted] : []), ...(sku ? [`SKU ${sku}`] : [])]
  const each = priced?.each
  return {
    type: platforms(provider),
    description: service,
    price: each ? each.price : share,
    qty: each ? each.quantity.toFixed() : '1',
    details: details.join(', '),
    ...(priced && { priced: { rule: priced.rule, billedCost: priced.billed.toFixed() } }),
  }
}

/**
 * Returns the issuer's number; else the period and a short digest of the bill's key: the same in every run, with or
 * without a map of accounts. A reseller's numbers are unique among all its customers, a vendor's within one customer.
 */
export function numberOf(
  { invoiceId, issuer, account, currency, start, end, owner }: Omit<Bill, 'charges'>,
  terms: Pick<Terms, 'issuer' | 'customer'>,
): string {
  const profile = owner?.billingProfile
  if (invoiceId !== undefined) return divided(invoiceId, profile)
  const whose = terms.issuer === undefined ? [] : [owner?.customer ?? terms.customer ?? '']
  const what = [
    issuer,
    account,
    currency,
    dayOf(start),
    dayOf(end),
    ...whose,
    ...(profile ? [{ profile }] : []),
  ]
  const digest = createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 8)
  return `${dayOf(start).slice(0, 7)}-${digest}`
}

/** Returns a number for a profile's part: one vendor invoice may be divided among several profiles of a customer. */
function divided(invoiceId: string, profile: string | undefined): string {
  return profile === undefined ? invoiceId : `${invoiceId}/${profile}`
}

/** The platform whose charges weigh most, of either sign; nearly always it is the only one. */
function mainPlatform(charges: readonly ChargeGroup[], platforms: Platforms): string {
  const weights = new Map<string, Big>()
  for (const { provider, cost } of charges) {
    const platform = platforms(provider)
    weights.set(platform, (weights.get(platform) ?? new Big(0)).plus(cost.abs()))
  }
  const [[heaviest] = ['']] = [...weights].sort(([a, x], [b, y]) => y.cmp(x) || byText(a, b))
  return heaviest
}

function mostExpensiveFirst(a: ChargeGroup, b: ChargeGroup): number {
  return (
    b.cost.cmp(a.cost) ||
    byText(a.service, b.service) ||
    byText(a.category, b.category) ||
    byText(a.provider, b.provider) ||
    byText(a.sku ?? '', b.sku ?? '') ||
    byText(a.detail ?? '', b.detail ?? '') ||
    byText(a.priced?.rule ?? '', b.priced?.rule ?? '')
  )
}

function maxDay(day: string, other: string): string {
  return byText(day, other) > 0 ? day : other
}

/** Compares by code unit: the same order on every machine. */
function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/**
 * Returns the issuer's terms and purchase order, and the vendor's tax; not for a reseller, which charges its own tax.
 */
function postingOfBill(
  { issue }: Bill,
  charges: readonly ChargeGroup[],
  shares: ReadonlyMap<ChargeGroup, string>,
  { issuer }: Terms,
) {
  const taxes = charges.filter(({ category }) => category.toLowerCase() === 'tax')
  const tax = taxes.reduce((all, charge) => all.plus(shares.get(charge) ?? 0), new Big(0))
  return {
    ...(issue?.terms === undefined ? {} : { paymentTerms: issue.terms }),
    ...(issue?.order === undefined ? {} : { purchaseOrder: issue.order }),
    ...(taxes.length === 0 || issuer !== undefined ? {} : { taxAmount: tax.toFixed() }),
  }
}
