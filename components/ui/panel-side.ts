import { type RefObject, useLayoutEffect, useState } from 'react'

/** Position of a panel: under or over its button, aligned with its left or right edge. */
export type PanelSide = 'under-left' | 'under-right' | 'over-left' | 'over-right'
type Box = { top: number; bottom: number; left: number; right: number }

/** Free margin around a panel, in pixels. */
const MARGIN = 8

/**
 * Returns the side on which a panel fits.
 * @param panel its position at the preferred side
 * @param opener the button that opens it
 */
export function sideFor(
  preferred: PanelSide,
  panel: Box,
  opener: Box,
  view: { width: number; height: number },
): PanelSide {
  const isLow = panel.bottom > view.height - MARGIN
  const hasRoomAbove = opener.top - (panel.bottom - panel.top) > MARGIN
  const upDown = preferred.startsWith('over') || (isLow && hasRoomAbove) ? 'over' : 'under'
  const isFarRight = panel.right > view.width - MARGIN
  const hasRoomLeft = opener.right - (panel.right - panel.left) > MARGIN
  const edge = preferred.endsWith('right') || (isFarRight && hasRoomLeft) ? 'right' : 'left'
  return `${upDown}-${edge}`
}

/** Hook for `sideFor` that measures a panel on the page. Where it fits on neither side, the page scrolls to it. */
export function useSide(
  preferred: PanelSide,
  isOpen: boolean,
  panel: RefObject<HTMLElement | null>,
): PanelSide {
  const [side, setSide] = useState(preferred)
  useLayoutEffect(() => {
    const opener = panel.current?.previousElementSibling
    if (!isOpen || !panel.current || !opener) return
    const view = { width: document.documentElement.clientWidth, height: innerHeight }
    setSide(sideFor(preferred, panel.current.getBoundingClientRect(), opener.getBoundingClientRect(), view))
    return () => setSide(preferred)
  }, [isOpen, preferred, panel])
  useLayoutEffect(() => {
    if (isOpen && side) panel.current?.scrollIntoView({ block: 'nearest' })
  }, [isOpen, side, panel])
  return side
}
