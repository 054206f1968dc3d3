/** Days of UTC as epoch milliseconds, both inclusive; `told`: the line says so itself. */
export type Period = { from: number; to: number; told: boolean }

const DAY = 86_400_000
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const ISO = /(\d{4}-\d{2}-\d{2})\D{1,20}(\d{4}-\d{2}-\d{2})/
const WORDS =
  /(\d{1,2}) ([A-Z][a-z]{2})[a-z]*\.?(?: (\d{4}))? ?[–—-] ?(\d{1,2}) ([A-Z][a-z]{2})[a-z]*\.? (\d{4})/
/** A bill that names no period is for what was before it. */
const USUAL_DAYS = 31

/**
 * The time that a line bills for: as its details name it (`1 Oct – 31 Oct 2026`, `2026-10-01 to 2026-10-31`), else the
 * month before the invoice's day.
 * @param invoiceDate epoch milliseconds of a day of UTC
 */
export function billedPeriod(details: string | undefined, invoiceDate: number): Period {
  const told = toldPeriod(details?.slice(0, 1000) ?? '')
  if (told && told.from <= told.to) return { ...told, told: true }
  return { from: invoiceDate - (USUAL_DAYS - 1) * DAY, to: invoiceDate, told: false }
}

function toldPeriod(details: string): { from: number; to: number } | undefined {
  const iso = ISO.exec(details)
  if (iso) return days(Date.parse(`${iso[1]}T00:00:00Z`), Date.parse(`${iso[2]}T00:00:00Z`))
  const words = WORDS.exec(details)
  if (!words) return undefined
  const [, day, month, year, lastDay, lastMonth, lastYear] = words
  return days(dayOf(day, month, year ?? lastYear), dayOf(lastDay, lastMonth, lastYear))
}

function days(from: number, to: number) {
  return Number.isNaN(from) || Number.isNaN(to) ? undefined : { from, to }
}

/** NaN for what is no day, such as 31 Feb. */
function dayOf(day = '', month = '', year = ''): number {
  const at = Date.UTC(Number(year), MONTHS.indexOf(month.toLowerCase()), Number(day))
  return new Date(at).getUTCDate() === Number(day) && MONTHS.includes(month.toLowerCase()) ? at : Number.NaN
}
