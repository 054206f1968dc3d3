import 'server-only'
import { DAY_MS, epochOfDay } from '#lib/platform/values/days.ts'

/** Days of the form; absent or invalid ones are left to the service. */
export type AccountDays = { minDate?: number; maxDate?: number }

/** Reads the days of the form, `from` and `to` as `YYYY-MM-DD`, from a query string. */
export function accountDays(search: string): AccountDays {
  const parameters = new URLSearchParams(search)
  const read = (name: string) => {
    const text = parameters.get(name) ?? ''
    const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? epochOfDay(text) : Number.NaN
    return Number.isFinite(time) && time >= 0 && time < 253_402_300_800_000 ? time : undefined
  }
  const [minDate, maxDate] = [read('from'), read('to')]
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const last = maxDate === undefined ? undefined : Math.min(maxDate, today)
  return {
    ...(minDate === undefined ? {} : { minDate: Math.min(minDate, last ?? today) }),
    ...(last === undefined ? {} : { maxDate: last }),
  }
}
