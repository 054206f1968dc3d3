/** What is measured, with the most that it may be. */
export type Measurement = { name: string; value: number; most: number; unit: 'kB' | 'ms' | '' }

/** In kB, compressed: a screen's own JavaScript, all but React and Next. */
export const SCREEN_KB = 45
/** Pages and answers that a screen asks for without being asked. */
export const UNASKED = 0
/** How often a row may travel beside its HTML: as the answer that the browser keeps. */
export const ROWS = 1
/** In kB, unpacked: of a list with 250 rows the first 50 come as HTML. */
export const HTML_KB = 500
/** The same of a statement, whose 250 rows are all there: it is printed. */
export const STATEMENT_KB = 1100
/** In milliseconds, with a server that takes a second. */
export const TITLE_MS = 100
export const SKELETON_MS = 150
/** In milliseconds, at 250 rows, with the processor slowed four times. */
export const PRESS_MS = 50

/** Those that are over. */
export function broken(measurements: readonly Measurement[]): Measurement[] {
  return measurements.filter(({ value, most }) => !(value <= most))
}

/** As a table in Markdown. */
export function tableOf(measurements: readonly Measurement[]): string {
  const text = (value: number, unit: string) => `${Math.round(value * 10) / 10}${unit && ` ${unit}`}`
  const rows = measurements.map(
    ({ name, value, most, unit }) =>
      `| ${name} | ${text(value, unit)} | ${text(most, unit)} | ${value <= most ? '' : 'over'} |`,
  )
  return ['| | is | may be | |', '| --- | ---: | ---: | --- |', ...rows].join('\n')
}
