import type { NewLineItem } from '#lib/imports/schemas.ts'
import { addDays } from '#lib/platform/values/days.ts'
import { addMonths, monthStart, periodText } from './calendar.ts'

/** A subscription's whole life, from which its asset, its change history and its invoice lines follow. */
export type Purchase = {
  /** Starts with the type. */
  id: string
  type: 'workspace-suite' | 'office-suite'
  sku: { id: string; name: string }
  domain: string
  plan: 'FLEXIBLE' | 'ANNUAL_MONTHLY_PAY' | 'ANNUAL_YEARLY_PAY' | 'TRIAL'
  status: 'ACTIVE' | 'SUSPENDED' | 'PENDING' | 'CANCELLED'
  boughtOn: string
  /** Day from which the subscription is no longer billed. */
  endedOn?: string
  /** The end of the present commitment. */
  renewsOn?: string
  renewalType?: string
  purchaseOrder?: string
  /** Cost center set by the customer, printed on the lines of the asset. */
  costCenter?: string
  /** Seats at the start, seats assigned to users now, and the vendor's cap where it differs. */
  seats: { first: number; assigned: number; maximum?: number }
  /** Oldest first. */
  changes?: SeatChange[]
  /** Vendor; absent: `built-in`. */
  vendor?: string
  /** Per seat and billing cycle; absent while nothing is charged: a trial, a pending order. */
  price?: string
}

/** `refused` is the vendor's reason, with unchanged seats. */
export type SeatChange = { on: string; to: number; by: string; refused?: string }

/** Returns the purchased seats at the end of a day. */
export function seatsOn({ seats, changes = [] }: Purchase, day: string): number {
  return changes.filter(({ on, refused }) => on <= day && !refused).at(-1)?.to ?? seats.first
}

export function isCommitment({ plan }: Purchase): boolean {
  return plan === 'ANNUAL_MONTHLY_PAY' || plan === 'ANNUAL_YEARLY_PAY'
}

/**
 * Returns the lines of the month that ends on `day`, one per subscription; yearly payers have invoices of their own.
 */
export function monthlyLines(purchases: readonly Purchase[], day: string): NewLineItem[] {
  const period = periodText(monthStart(day), day)
  return purchases
    .filter((purchase) => purchase.plan !== 'ANNUAL_YEARLY_PAY' && isBilled(purchase, day))
    .map((purchase) => licenseLine(purchase, day, period))
}

/** Returns the days on which a yearly payer was billed since `since`, newest first. */
export function yearlyBills({ boughtOn, renewsOn = boughtOn }: Purchase, since: string): string[] {
  const days = [1, 2, 3, 4, 5].map((years) => addMonths(renewsOn, -12 * years))
  return days.filter((day) => day >= since && day >= boughtOn)
}

/** Returns the line of the year that starts on `day`, paid in advance. */
export function yearlyLine(purchase: Purchase, day: string): NewLineItem {
  return licenseLine(purchase, day, periodText(day, addDays(addMonths(day, 12), -1)))
}

function isBilled(purchase: Purchase, day: string): boolean {
  const { boughtOn, endedOn = '9999-12-31', price } = purchase
  return Boolean(price) && boughtOn <= monthStart(day) && endedOn > day && seatsOn(purchase, day) > 0
}

/**
 * Returns the line of the seats on `day` for a period. A screen finds the last billed price of an asset by the SKU's
 * name.
 */
export function licenseLine(purchase: Purchase, day: string, period: string): NewLineItem {
  const { type, sku, price = '0' } = purchase
  return { type, description: sku.name, price, qty: String(seatsOn(purchase, day)), details: period }
}
