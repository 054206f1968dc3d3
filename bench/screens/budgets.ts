/** A measured value, with its budget. */
export type Measurement = { name: string; value: number; most: number; unit: 'kB' | 'ms' | '' }

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
/** In milliseconds, at 250 rows, with the processor slowed down four times. */
export const PRESS_MS = 50

/** Returns the measurements that exceed their budget. */
export function broken(measurements: readonly Measurement[]): Measurement[] {
  return measurements.filter(({ value, most }) => !(value <= most))
}

/** Returns a Markdown table. */
export function tableOf(measurements: readonly Measurement[]): string {
  const text = (value: number, unit: string) => `${Math.round(value * 10) / 10}${unit && ` ${unit}`}`
  const rows = measurements.map(
    ({ name, value, most, unit }) =>
      `| ${name} | ${text(value, unit)} | ${text(most, unit)} | ${value <= most ? '' : 'over'} |`,
  )
  return ['| | is | may be | |', '| --- | ---: | ---: | --- |', ...rows].join('\n')
}
