import { type RefObject, useLayoutEffect, useState } from 'react'

/** Where a panel opens: under its button or over it, aligned with its left or right edge. */
export type PanelSide = 'under-left' | 'under-right' | 'over-left' | 'over-right'
type Box = { top: number; bottom: number; left: number; right: number }

/** What is left free around a panel. */
const MARGIN = 8

/**
 * Where a panel has room.
 * @param panel where it stands at the side that is wanted
 * @param opener the button that it belongs to
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

/** The same of a panel on the page. Where it has room on neither side, the page scrolls to it. */
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
