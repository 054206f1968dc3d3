// By what the lines of two invoices are told to bill the same thing.

type Line = { type: string; description: string; details: string | null; currency: string }

/** The same product, whatever its details. */
export function productOf({ currency, type, description }: Omit<Line, 'details'>): string {
  return JSON.stringify([currency, type, description])
}

/** The same product, whatever its details, and though its description names a date. */
export function lastingProductOf(line: Omit<Line, 'details'>): string {
  return productOf({ ...line, description: withoutDates(line.description) })
}

/**
 * A line's keys, the strictest first: type, description and details as they are written; the details without
 * dates and counts (`Usage, 18 charges`, `1 – 30 Sep 2026`); the description without dates as well. A number
 * that names something (`Account 0925`, `16 vCPU` in a description) always tells.
 */
export function keysOf(line: Line): readonly string[] {
  const { type, description, details, currency } = line
  const product = productOf(line)
  const lasting = withoutCounts(withoutDates(details ?? ''))
  const undated = lastingProductOf(line)
  return [
    JSON.stringify([currency, type, description, details]),
    `${product}${lasting}`,
    `${undated}${lasting}`,
  ]
}

const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?'
const YEAR = '(?:19|20)\\d\\d'
const DAY = '\\d{1,2}(?:st|nd|rd|th)?'
const DATE = [
  `${YEAR}-\\d\\d(?:-\\d\\d)?(?:[t ]\\d\\d:\\d\\d(?::\\d\\d)?z?)?`,
  `\\d{1,2}[./]\\d{1,2}[./]${YEAR}`,
  `(?:${DAY} ?[-–] ?)?${DAY} ${MONTH}(?:,? ${YEAR})?`,
  `${MONTH} ${DAY}(?: ?[-–] ?${DAY})?(?:,? ${YEAR})?`,
  `${MONTH} ${YEAR}`,
  `q[1-4][ /-]?${YEAR}`,
]
const DATES = new RegExp(`(?<![\\p{L}\\d])(?:${DATE.join('|')})(?![\\p{L}\\d])`, 'giu')
const PERIODS = /#(?: ?(?:[-–—/]|to|until) ?#)+/g

/** Dates and periods become one sign, however long they are. */
function withoutDates(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase().replace(DATES, '#').replace(PERIODS, '#')
}

// At the beginning, or after a comma or a bracket; a plural s goes with the number.
const COUNTS = /(?<=^|[,;(] ?)\d[\d.,]* (\p{L}+?)s?(?!\p{L})/gu

/** Counts of something become the thing that is counted: `18 charges` is `n charge`. */
function withoutCounts(text: string): string {
  return text.replace(COUNTS, 'n $1')
}
