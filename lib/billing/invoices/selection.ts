import type { Filter } from '#lib/platform/lists/filter.ts'
import { DAY_MS, dayOf } from '#lib/platform/values/days.ts'
import type { FilterKey } from './rules.ts'

/** Which invoices are asked for, among those that the caller may see. */
export type Selection = {
  filter?: Filter<FilterKey> | undefined
  /** Epoch milliseconds, both inclusive, applied to the invoice date. */
  minCreationTime?: number | undefined
  maxCreationTime?: number | undefined
  /** The same of the due date. */
  minDueDate?: number | undefined
  maxDueDate?: number | undefined
  /** Exact decimal text, both inclusive, of the total in its own currency. */
  minAmount?: string | undefined
  maxAmount?: string | undefined
  /** Part of the description of a line. */
  product?: string | undefined
  search?: string | undefined
  /** Of invoices that are named: drafts and voided ones too. */
  ids?: readonly string[] | undefined
}

/** From one date to another, both inclusive, as `YYYY-MM-DD`; without a bound where it is absent. */
export type Days = { from?: string | undefined; to?: string | undefined }

/** The invoice dates that a selection's times leave: an invoice stands at its day's midnight. */
export function daysOf({ minCreationTime, maxCreationTime }: Selection): Days {
  return daysBetween(minCreationTime, maxCreationTime)
}

/** The same of the due dates. */
export function dueDaysOf({ minDueDate, maxDueDate }: Selection): Days {
  return daysBetween(minDueDate, maxDueDate)
}

function daysBetween(min: number | undefined, max: number | undefined): Days {
  return {
    from: min === undefined ? undefined : dayOf(Math.ceil(min / DAY_MS) * DAY_MS),
    to: max === undefined ? undefined : dayOf(max),
  }
}
