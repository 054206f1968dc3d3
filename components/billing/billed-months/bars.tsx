import { useRef, useState } from 'react'
import type { View } from '#components/billing/invoices/view.ts'
import { BilledBar } from './bar.tsx'
import { keyOf, type MonthBar, type Place, placeAfter } from './months.ts'
import type { Scale } from './scale.ts'

/** Of links, which a drawing is not told to have. */
const GROUP = { role: 'group' } as const

type Given = {
  bars: readonly MonthBar[]
  currency: string
  scale: Scale
  /** The amounts at which a line goes across. */
  lines: readonly number[]
  view: View
  onGo: (view: View) => void
  /** What the pointer or the focus is on, in words. */
  onPoint: (what: string | undefined) => void
}

/**
 * A bar per month, its platforms one on the other. Places across are shares of the width, so that one drawing fits
 * every screen and its words keep their size. Tab comes to one month or platform, the arrow keys lead to the others.
 */
export function BilledBars({ bars, lines, scale, onPoint, ...rest }: Given) {
  const svg = useRef<SVGSVGElement>(null)
  const [last, setLast] = useState<Place>()
  const stop = keyOf(stopOf(bars, last))

  const onFocus = (at: Place, what: string) => {
    setLast(at)
    onPoint(what)
  }
  const onArrow = (from: Place, key: string) => {
    const next = placeAfter(bars, from, key)
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
          onPoint={onPoint}
        />
      ))}
    </svg>
  )
}

/** Where Tab comes in: where the focus was last, else the newest month. */
function stopOf(bars: readonly MonthBar[], last: Place | undefined): Place {
  const bar = bars.find(({ month }) => month === last?.month)
  const isThere =
    bar?.segments.some(({ platform }) => platform === last?.platform) || last?.platform === undefined
  return bar && last && isThere ? last : { month: bars.at(-1)?.month ?? 0 }
}
