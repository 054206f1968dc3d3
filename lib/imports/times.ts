const SHAPE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?(?: ?(Z|UTC|[+-]\d{2}(?::?\d{2})?))?$/i
// So that nothing that is reckoned from a time leaves what databases and browsers can name.
const EARLIEST_YEAR = 1970
const LAST_YEAR = 8999

/**
 * A date, or a date and time, as ISO 8601 and most exports write it; without a zone it is UTC.
 * @returns epoch milliseconds, or undefined where the text is no such time or names a day that isn't
 */
export function timeOf(text: string): number | undefined {
  const [matched, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] =
    SHAPE.exec(text) ?? []
  if (!matched || Number(year) < EARLIEST_YEAR || Number(year) > LAST_YEAR) return undefined
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day))
  // The calendar rolls over what it doesn't have: 31 June would be 1 July.
  if (!new Date(midnight).toISOString().startsWith(`${year}-${month}-${day}`)) return undefined
  const [h, m, s] = [Number(hour), Number(minute), Number(second)]
  if (h > 23 || m > 59 || s > 59) return undefined
  const millis = Number(fraction.slice(0, 3).padEnd(3, '0'))
  const offset = offsetOf(zone)
  return offset === undefined ? undefined : midnight + ((h * 60 + m - offset) * 60 + s) * 1000 + millis
}

/** A month of hours, twice: so that each time is read once. */
const MAX_TIMES = 5000

/** The same of many texts, most of which come again. */
export function timeReader() {
  const times = new Map<string, number | undefined>()
  return (text: string | undefined): number | undefined => {
    if (text === undefined) return undefined
    if (!times.has(text)) {
      if (times.size >= MAX_TIMES) times.clear()
      times.set(text, timeOf(text))
    }
    return times.get(text)
  }
}

/** Minutes that a zone is ahead of UTC. */
function offsetOf(zone: string | undefined): number | undefined {
  if (zone === undefined || /^[zu]/i.test(zone)) return 0
  const digits = zone.slice(1).replace(':', '')
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))]
  if (hours > 14 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}
