const UNITS = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const

/** A tick's amount in as few signs as an axis has room for: `1.5M`, `−40k`, `0.25`. */
export function compactText(amount: number): string {
  const size = Math.abs(amount)
  const [factor, unit] = UNITS.find(([least]) => size >= least) ?? [1, '']
  const text = (size / factor).toLocaleString('en', { maximumFractionDigits: 9 })
  return `${amount < 0 ? '−' : ''}${text}${unit}`
}

export type MonthLabel = { month: number; withYear: boolean; onPhones: boolean }

/** Which months have room for their name: on wide screens, and of these on phones. January is always one of them. */
export function labelledMonths(months: readonly number[]): MonthLabel[] {
  const [wide, narrow] = [stepFor(months.length, 18), stepFor(months.length, 6)]
  const labelled = months.filter((month) => number(month) % wide === 0)
  const years = labelled.filter((month) => number(month) % 12 === 0)
  return labelled.map((month) => ({
    month,
    withYear: years.length > 0 ? years.includes(month) : month === labelled[0],
    onPhones: number(month) % narrow === 0,
  }))
}

function stepFor(count: number, room: number): number {
  return [1, 3, 6, 12].find((step) => count / step <= room) ?? 12
}

function number(month: number): number {
  return new Date(month).getUTCMonth()
}
