import type { MonthBar } from './months.ts'

/** Bars of a few months are no wider than those of a year. */
const MIN_SLOTS = 12

/** Positions of amounts and months in the bar chart. */
export type Scale = {
  /** Distance from the upper edge, in pixels. */
  top: number
  /** Height in pixels. */
  height: number
  /** Into so many the width is divided. */
  slots: number
  /** Returns the vertical position of an amount, in pixels. */
  y: (amount: number) => number
}

/** Returns the lowest and the highest amount of the bars, with zero always in the range. */
export function endsOf(bars: readonly MonthBar[]): [begin: number, end: number] {
  const ends = bars.flatMap(({ segments }) => segments.flatMap(({ low, high }) => [low, high]))
  return [Math.min(0, ...ends), Math.max(0, ...ends)]
}

/** Amounts from `begin` to `end` over `height` pixels from `top` on, and a slot for each of so many bars. */
export function scaleOf(
  bars: readonly MonthBar[],
  [begin, end]: [begin: number, end: number],
  { top, height }: { top: number; height: number },
): Scale {
  return {
    top,
    height,
    slots: Math.max(bars.length, MIN_SLOTS),
    y: (amount) => top + Math.round(((end - amount) / (end - begin)) * height * 10) / 10,
  }
}

/** A share of the width, for SVG. */
export function percent(share: number): string {
  return `${Math.round(share * 1e4) / 100}%`
}
