import type { MonthBar } from './months.ts'

/** Smallest number of slots: bars of a few months are no wider than those of a year. */
const MIN_SLOTS = 12

/** Positions of amounts and months in the bar chart. */
export type Scale = {
  /** Distance from the upper edge, in pixels. */
  top: number
  /** Height in pixels. */
  height: number
  /** Number of slots that divide the width. */
  slots: number
  /** Returns the vertical position of an amount, in pixels. */
  y: (amount: number) => number
}

/** Returns the lowest and the highest amount of the bars, with zero always in the range. */
export function endsOf(bars: readonly MonthBar[]): [begin: number, end: number] {
  const ends = bars.flatMap(({ segments }) => segments.flatMap(({ low, high }) => [low, high]))
  return [Math.min(0, ...ends), Math.max(0, ...ends)]
}

/** Returns the scale for amounts from `begin` to `end` over `height` pixels below `top`, with a slot for each bar. */
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

/** Returns a share of the width as a percentage, for SVG. */
export function percent(share: number): string {
  return `${Math.round(share * 1e4) / 100}%`
}
