import { type KeyboardEvent, type MouseEvent, useRef, useState } from 'react'
import { invoicesText } from '#components/billing/invoices/stat.ts'
import { hrefOf, type View } from '#components/billing/invoices/view.ts'
import { platformFill } from '#components/platform/values/platform-icon.tsx'
import { monthAndYear } from '#lib/platform/values/days.ts'
import { moneyText } from '#lib/platform/values/money.ts'
import { platformName } from '#lib/platform/values/platforms.ts'
import { type ChartPoint, keyOf, type MonthBar, nextPoint, viewOfMonth } from './months.ts'
import { percent, type Scale } from './scale.ts'

/** Role of an `svg` that contains links: a plain drawing is not expected to have any. */
const GROUP = { role: 'group' } as const

type BilledBarsProps = {
  bars: readonly MonthBar[]
  currency: string
  scale: Scale
  /** Amounts of the horizontal grid lines. */
  lines: readonly number[]
  view: View
  onNavigate: (view: View) => void
  /** Called with a sentence about the bar under the pointer or the focus; undefined where there is none. */
  onHover: (what: string | undefined) => void
}

/**
 * Bar chart with a bar per month, stacked by platform. Horizontal positions are shares of the width, so one drawing
 * fits every screen and its text keeps its size. Uses a roving tabindex: Tab reaches one month or platform, the arrow
 * keys the others.
 */
export function BilledBars({ bars, lines, scale, onHover, ...rest }: BilledBarsProps) {
  const svg = useRef<SVGSVGElement>(null)
  const [last, setLast] = useState<ChartPoint>()
  const stop = keyOf(stopOf(bars, last))

  const onFocus = (at: ChartPoint, what: string) => {
    setLast(at)
    onHover(what)
  }
  const onArrow = (from: ChartPoint, key: string) => {
    const next = nextPoint(bars, from, key)
    if (!next) return false
    svg.current?.querySelector<SVGAElement>(`[data-place="${CSS.escape(keyOf(next))}"]`)?.focus()
    return true
  }
  return (
    <svg
      ref={svg}
      {...GROUP}
      aria-label={`Billed per month and platform, ${rest.currency}. Move with the arrow keys.`}
      width="100%"
      height={scale.top + scale.height}
      className="block overflow-visible"
    >
      {lines.map((amount) => (
        <line
          key={amount}
          className={amount === 0 ? 'stroke-line-2' : 'stroke-line'}
          x1="0"
          x2="100%"
          y1={scale.y(amount)}
          y2={scale.y(amount)}
        />
      ))}
      {bars.map((bar, index) => (
        <BilledBar
          key={bar.month}
          {...rest}
          bar={bar}
          index={index}
          scale={scale}
          stop={stop}
          onFocus={onFocus}
          onArrow={onArrow}
          onHover={onHover}
        />
      ))}
    </svg>
  )
}

/** Returns the point that Tab reaches: the last one with the focus, else the newest month. */
function stopOf(bars: readonly MonthBar[], last: ChartPoint | undefined): ChartPoint {
  const bar = bars.find(({ month }) => month === last?.month)
  const isThere =
    bar?.segments.some(({ platform }) => platform === last?.platform) || last?.platform === undefined
  return bar && last && isThere ? last : { month: bars.at(-1)?.month ?? 0 }
}

type LinkProps = {
  currency: string
  view: View
  /** Key of the only point with `tabindex="0"`. */
  stop: string
  onNavigate: (view: View) => void
  onHover: (what: string | undefined) => void
  onFocus: (point: ChartPoint, what: string) => void
  /** Returns whether the key moved the focus to another point. */
  onArrow: (from: ChartPoint, key: string) => boolean
}
type BarProps = LinkProps & {
  bar: MonthBar
  index: number
  scale: Scale
}

/** One month: the whole column links to the month's invoices, each segment of the bar to those of one platform. */
function BilledBar({
  bar: { month, count, amount, segments },
  index,
  scale: { slots, top, height, y },
  ...links
}: BarProps) {
  if (segments.length === 0) return null
  // With many bars, the gaps are smaller.
  const thickness = slots > 12 ? 0.7 : 0.42
  const x = percent((index + (1 - thickness) / 2) / slots)
  const what = (name: string, sum: number, invoiceCount: number) =>
    `${monthAndYear(month)}${name}: ${moneyText(sum, links.currency)}, ${invoicesText(invoiceCount)}`
  return (
    <>
      <a {...linkTo({ month }, what('', amount, count), links)} className="group">
        <rect
          className="fill-transparent hover:fill-ink/5 group-focus-visible:fill-ink/5"
          x={percent(index / slots)}
          width={percent(1 / slots)}
          y={top}
          height={height}
        />
      </a>
      {segments.map((one) => {
        const [high, low] = [y(one.high), y(one.low)]
        const name = `, ${platformName(one.platform)}`
        return (
          <a
            key={one.platform}
            {...linkTo({ month, platform: one.platform }, what(name, one.amount, one.count), links)}
          >
            <rect
              className={`${platformFill(one.platform)} hover:opacity-80`}
              rx="1"
              x={x}
              width={percent(thickness / slots)}
              y={high}
              height={heightOf(one.amount, low - high)}
            />
          </a>
        )
      })}
    </>
  )
}

/** Returns the height of a segment: at least visible, with a hairline between two segments. */
function heightOf(amount: number, pixels: number): number {
  if (amount === 0) return 0
  return pixels > 3 ? pixels - 1 : Math.max(1, pixels)
}

function linkTo(
  point: ChartPoint,
  what: string,
  { view, stop, onNavigate, onHover, onFocus, onArrow }: LinkProps,
) {
  const target = viewOfMonth(view, point.month, point.platform)
  return {
    'data-place': keyOf(point),
    'aria-label': what,
    href: hrefOf(target),
    tabIndex: keyOf(point) === stop ? 0 : -1,
    onFocus: () => onFocus(point, what),
    onBlur: () => onHover(undefined),
    onMouseEnter: () => onHover(what),
    onMouseLeave: () => onHover(undefined),
    onClick: (event: MouseEvent) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
      event.preventDefault()
      onNavigate(target)
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || !onArrow(point, event.key)) return
      event.preventDefault()
    },
  }
}
