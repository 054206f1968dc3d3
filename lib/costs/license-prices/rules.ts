import { may, type Role } from '#lib/platform/caller/rules.ts'
import { daysBetween, monthBegin } from '#lib/platform/values/days.ts'
import { Exact, roundMoney } from '#lib/platform/values/decimals.ts'

/**
 * Returns whether a caller may see license prices: with access to invoices, or with the right to change licenses unless
 * the customer hides prices from them. The single place of this decision.
 */
export function seesPrices(caller: { roles: readonly Role[] }, { hidesPrices }: { hidesPrices: boolean }) {
  return may(caller, 'invoice-viewer') || (may(caller, 'licenses-manager') && !hidesPrices)
}

/** A line of an invoice that bills licenses. Decimals are exact text, days `YYYY-MM-DD`; the period's end is exclusive. */
export type PriceLine = {
  platform: string
  invoiceId: string
  invoiceDate: string
  description: string
  price: string
  qty: string
  currency: string
  periodStart: string | null
  periodEnd: string | null
}

/** Key fields for the price of an asset. */
export type Priced = { id: string; type: string; skuName: string; planName: string; purchased: number }

/** Price of one license when last billed. */
export type LastPrice = {
  /** Exact decimal text. */
  price: string
  currency: string
  /** The months that the price is for; null where its line is for no whole months. */
  months: number | null
  /** Absent where the caller may not see the invoice. */
  invoiceId?: string
  /** The day, `YYYY-MM-DD`. */
  invoiceDate: string
}

/**
 * Returns the last billed price of a license of each asset, by asset id: from the line of its platform that names its
 * product. The longest name wins: "Business Plus" is not billed by the line of "Business Plus Archive".
 * @param lines of the newest invoice of each platform, in their order
 */
export function lastPricesOf(assets: readonly Priced[], lines: readonly PriceLine[]): Map<string, LastPrice> {
  const byPlatform = Map.groupBy(
    lines.map((line) => ({ line, text: line.description.toLowerCase() })),
    ({ line }) => line.platform,
  )
  const names = [...new Set(assets.map(({ skuName }) => skuName.toLowerCase()))]
  const pricesByKind = new Map<string, LastPrice | undefined>()
  const prices = new Map<string, LastPrice>()
  for (const asset of assets) {
    // Equal products share a price: a few products are matched, not a thousand assets.
    const kind = JSON.stringify([asset.type, asset.skuName, asset.planName, asset.purchased <= 1])
    if (!pricesByKind.has(kind))
      pricesByKind.set(kind, priceOf(asset, byPlatform.get(asset.type) ?? [], names))
    const price = pricesByKind.get(kind)
    if (price) prices.set(asset.id, price)
  }
  return prices
}

function priceOf(
  { skuName, planName, purchased }: Priced,
  lines: readonly { line: PriceLine; text: string }[],
  names: readonly string[],
): LastPrice | undefined {
  const lowered = skuName.toLowerCase()
  const longer = names.filter((name) => name.length > lowered.length && name.includes(lowered))
  const matches = lines.filter(({ line: { price, qty }, text }) => {
    const count = new Exact(qty)
    // One unit for many licenses is a sum, not a price.
    const isPrice = new Exact(price).gt(0) && (count.gt(1) || (count.eq(1) && purchased <= 1))
    return isPrice && text.includes(lowered) && !longer.some((name) => text.includes(name))
  })
  const terms = matches.map(({ line }) => ({ line, months: monthsOf(line, planName) }))
  const best = terms.find(({ months }) => months !== null) ?? terms[0]
  if (!best) return undefined
  const { price, currency, invoiceId, invoiceDate } = best.line
  return { price, currency, months: best.months, invoiceId, invoiceDate }
}

/**
 * Returns the whole months that a line covers: by its period, else a month, or a year for a plan paid yearly. Null for
 * part of a month, as for licenses added within the month.
 */
export function monthsOf(
  { periodStart, periodEnd }: Pick<PriceLine, 'periodStart' | 'periodEnd'>,
  planName: string,
): number | null {
  if (periodStart === null || periodEnd === null) return /YEARLY/.test(planName) ? 12 : 1
  const around = Math.round(daysBetween(periodStart, periodEnd) / 30.44)
  const first = daysBetween(monthBegin(periodStart), periodStart)
  const last = daysBetween(monthBegin(periodEnd), periodEnd)
  const begins = daysBetween(monthBegin(periodStart, around), monthBegin(periodEnd))
  return around >= 1 && first === last && begins === 0 ? around : null
}

/** Cost of licenses per month, or for the last billed period where its months are unknown. The amount is exact text. */
export type Cost = { amount: string; currency: string; isMonthly: boolean }

/** Returns the cost of a number of licenses at the last price, rounded once to the currency's minor unit. */
export function costOf(count: number, { price, currency, months }: LastPrice): Cost {
  const whole = new Exact(price).times(count)
  // Division is to 20 places, far below any minor unit.
  const amount = roundMoney(months === null ? whole : whole.div(months), currency)
  return { amount: amount.toFixed(), currency, isMonthly: months !== null }
}
