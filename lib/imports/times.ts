const SHAPE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?(?: ?(Z|UTC|[+-]\d{2}(?::?\d{2})?))?$/i
// Keeps every time computed from a parsed one within the range of databases and browsers.
const EARLIEST_YEAR = 1970
const LAST_YEAR = 8999

/**
 * Parses a date, or a date and time, in ISO 8601 and the forms of most exports; without a zone in UTC.
 * @returns epoch milliseconds, or undefined for invalid text or a day that does not exist
 */
export function timeOf(text: string): number | undefined {
  const [matched, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] =
    SHAPE.exec(text) ?? []
  if (!matched || Number(year) < EARLIEST_YEAR || Number(year) > LAST_YEAR) return undefined
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day))
  // Date rolls over invalid days: 31 June would be 1 July.
  if (!new Date(midnight).toISOString().startsWith(`${year}-${month}-${day}`)) return undefined
  const [h, m, s] = [Number(hour), Number(minute), Number(second)]
  if (h > 23 || m > 59 || s > 59) return undefined
  const millis = Number(fraction.slice(0, 3).padEnd(3, '0'))
  const offset = offsetOf(zone)
  return offset === undefined ? undefined : midnight + ((h * 60 + m - offset) * 60 + s) * 1000 + millis
}

/** Twice the hours of a month, so that each time is parsed once. */
const MAX_TIMES = 5000

/** Returns a cached time parser for many texts, most of which repeat. */
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
