import Big from 'big.js'
import { currencyError } from '#lib/platform/values/currency-codes.ts'
import { addDays, dayOf } from '#lib/platform/values/days.ts'
import { decimalOf } from '#lib/platform/values/decimals.ts'
import { textError } from '#lib/platform/values/text.ts'
import type { Header } from '../focus/columns.ts'
import { timeReader } from '../times.ts'
import type { NewLinePosting } from './schemas.ts'

/**
 * Period and account from the charges of a line. Times are epoch milliseconds with an exclusive end; null: the charges
 * differ.
 */
export type Usage = {
  start?: number | undefined
  end?: number | undefined
  account?: string | null | undefined
  subAccount?: string | null | undefined
  unit?: string | null | undefined
  /** Exact decimal text: the total. Null also where one of the charges has no quantity. */
  quantity?: string | null | undefined
  sku?: string | null | undefined
  order?: string | null | undefined
  grain?: string | null | undefined
  paymentCurrency?: string | null | undefined
  paymentAmount?: string | null | undefined
}

const PAYMENT = ['grain', 'paymentCurrency', 'paymentAmount'] as const
const AGREED = ['account', 'subAccount', 'unit', 'sku', 'order', ...PAYMENT] as const
const MAX_GRAIN_LENGTH = 2000
/** Returns a reader of usage from rows. Leaves out unreadable values: no invoice depends on them. */
export function usageReader() {
  const timeAt = timeReader()
  const textAt = (text: string | undefined, longest = 300) =>
    text && !textError(text, longest) ? text : undefined
  const paymentIn = (read: Header['read'], row: readonly string[]) => {
    const currency = read(row, 'paymentCurrency')
    const amount = read(row, 'paymentAmount')
    return {
      grain: textAt(read(row, 'grain'), MAX_GRAIN_LENGTH),
      paymentCurrency: currency && !currencyError(currency) ? currency : undefined,
      paymentAmount: amount === undefined ? undefined : decimalOf(amount)?.toFixed(),
    }
  }
  const quantityAt = (text: string | undefined) =>
    text === undefined ? undefined : decimalOf(text)?.toFixed()
  return ({ read, dataset }: Header, row: readonly string[]): Usage => ({
    start: timeAt(read(row, 'chargeStart')),
    end: timeAt(read(row, 'chargeEnd')),
    account: textAt(read(row, 'account')),
    subAccount: textAt(read(row, 'subAccount')),
    unit: textAt(read(row, 'unit')),
    quantity: quantityAt(read(row, 'quantity')),
    sku: textAt(read(row, 'sku')),
    order: textAt(read(row, 'order')),
    ...(dataset === 'details' ? paymentIn(read, row) : {}),
  })
}

/**
 * Widens a line's usage by more of its charges.
 * @param isFirst whether the line has no usage yet
 */
export function widen(usage: Usage, more: Usage, isFirst: boolean): void {
  usage.start = least(usage.start, more.start)
  usage.end = least(usage.end && -usage.end, more.end && -more.end)
  if (usage.end !== undefined) usage.end = -usage.end
  usage.quantity = isFirst ? more.quantity : together(usage.quantity, more.quantity)
  for (const field of AGREED) {
    if (isFirst) usage[field] = more[field]
    else if (usage[field] !== more[field]) usage[field] = null
  }
}

/** Returns the sum of two quantities; null where only one of them is known. */
function together(one: Usage['quantity'], other: Usage['quantity']): Usage['quantity'] {
  if (one === undefined && other === undefined) return undefined
  return one && other ? new Big(one).plus(other).toFixed() : null
}

function least(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Math.min(one, other)
}

/**
 * Returns the line's fields from its usage.
 * @param hasAccount whether the invoice has a single, named account; `hasOrder`: likewise for a purchase order
 * @param hasQuantity whether the line's quantity is the charges' quantity, so that their unit applies
 */
export function linePostingOfUsage(
  { start, end, account, subAccount, unit, quantity, sku, order }: Usage,
  {
    hasAccount,
    hasPurchaseOrder,
    hasQuantity,
  }: { hasAccount: boolean; hasPurchaseOrder: boolean; hasQuantity: boolean },
): NewLinePosting {
  const isPeriod = start !== undefined && end !== undefined && start < end
  return {
    ...(isPeriod ? { periodStart: dayOf(start), periodEnd: addDays(dayOf(end - 1), 1) } : {}),
    ...(account && !hasAccount ? { billingAccount: account } : {}),
    ...(subAccount ? { subAccount } : {}),
    ...(order && !hasPurchaseOrder ? { purchaseOrder: order } : {}),
    ...(unit && hasQuantity ? { unit } : {}),
    ...(unit && quantity && !hasQuantity ? { usedQuantity: quantity, usedUnit: unit } : {}),
    ...(sku ? { sku } : {}),
  }
}

/**
 * Returns the fields that only an issuer's own line has: its id, referenced by charges, and the amount payable in
 * another currency.
 */
export function issuerLineOf(
  { detail, category, usage }: { detail?: string | undefined; category: string; usage: Usage },
  currency: string,
): NewLinePosting {
  const { grain, paymentCurrency, paymentAmount } = usage
  const isOther = paymentCurrency && paymentCurrency !== currency
  return {
    ...(detail === undefined ? {} : { detailId: detail }),
    chargeCategory: category,
    ...(grain ? { grain } : {}),
    ...(isOther ? { paymentCurrency, ...(paymentAmount ? { paymentAmount } : {}) } : {}),
  }
}
