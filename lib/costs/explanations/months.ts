import { DAY_MS, dayOf, monthBegin } from '#lib/platform/values/days.ts'

/** The days of a month and of the one before, as `YYYY-MM-DD`. */
export type Month = {
  /** The first day of the month before. */
  before: string
  /** The first day of the month, and its last one. */
  begin: string
  end: string
}

/** @param month as `YYYY-MM` */
export function monthOf(month: string): Month {
  const begin = `${month}-01`
  return {
    before: dayOf(monthBegin(begin, -1)),
    begin,
    end: dayOf(monthBegin(begin, 1) - DAY_MS),
  }
}
