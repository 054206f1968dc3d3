// Budgets of the console's screens; others are where they are measured. Of times only ratios travel between machines:
// the others are for a quiet one (docs/evidence/speed.md).

/** A measured value with its budget: `max` at most, or `min` at least. */
export type Measurement = {
  name: string
  value: number
  unit: 'kB' | 'MB' | 'ms' | 's' | '×' | 'lines/s' | ''
} & ({ max: number } | { min: number })

/** In kB, compressed: a screen's own JavaScript, without React and Next. */
export const SCREEN_KB = 45
/** Number of pages and responses that a screen may prefetch or repeat. */
export const UNASKED = 0
/** How many times a row may be sent in addition to its HTML: once, in the response that the browser keeps. */
export const ROWS = 1
/** In kB, unpacked: the first 50 of a list's 250 rows are sent as HTML. */
export const HTML_KB = 500
/** In kB, unpacked: a statement is printed, so all of its 250 rows are sent as HTML. */
export const STATEMENT_KB = 1100
/** In milliseconds, with a server that takes a second. */
export const TITLE_MS = 100
export const SKELETON_MS = 150
/** From a key to its paint in milliseconds, at 250 rows, with the processor slowed down four times. */
export const PRESS_MS = 50
/** Scores of Lighthouse, on desktop and mobile. */
export const MIN_SCORE = 100
/** Largest contentful paint and total blocking time on mobile, in milliseconds. */
export const LCP_MS = 1500
export const TBT_MS = 100

/** Returns the measurements that exceed their budget. */
export function broken(measurements: readonly Measurement[]): Measurement[] {
  return measurements.filter((one) => !('max' in one ? one.value <= one.max : one.value >= one.min))
}

/** Returns a Markdown table. */
export function budgetTable(measurements: readonly Measurement[]): string {
  const text = (value: number, unit: string) => `${Math.round(value * 100) / 100}${unit && ` ${unit}`}`
  const rows = measurements.map((one) => {
    const budget = 'max' in one ? `≤ ${text(one.max, one.unit)}` : `≥ ${text(one.min, one.unit)}`
    return `| ${one.name} | ${text(one.value, one.unit)} | ${budget} | ${broken([one]).length > 0 ? 'broken' : ''} |`
  })
  return ['| | is | budget | |', '| --- | ---: | ---: | --- |', ...rows].join('\n')
}
