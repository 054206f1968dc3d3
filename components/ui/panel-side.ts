import { type RefObject, useLayoutEffect, useState } from 'react'

/** Where a panel opens: under its button or over it, aligned with its left or right edge. */
export type Side = 'under-left' | 'under-right' | 'over-left' | 'over-right'
type Box = { top: number; bottom: number; left: number; right: number }

/** What is left free around a panel. */
const MARGIN = 8

/**
 * Where a panel has room.
 * @param panel where it stands at the side that is wanted
 * @param opener the button that it belongs to
 */
export function sideFor(
  wanted: Side,
  panel: Box,
  opener: Box,
  view: { width: number; height: number },
): Side {
  const isLow = panel.bottom > view.height - MARGIN
  const hasRoomAbove = opener.top - (panel.bottom - panel.top) > MARGIN
  const upDown = wanted.startsWith('over') || (isLow && hasRoomAbove) ? 'over' : 'under'
  const isFarRight = panel.right > view.width - MARGIN
  const hasRoomLeft = opener.right - (panel.right - panel.left) > MARGIN
  const edge = wanted.endsWith('right') || (isFarRight && hasRoomLeft) ? 'right' : 'left'
  return `${upDown}-${edge}`
}

/** The same of a panel on the page. Where it has room on neither side, the page scrolls to it. */
export function useSide(wanted: Side, isOpen: boolean, panel: RefObject<HTMLElement | null>): Side {
  const [side, setSide] = useState(wanted)
  useLayoutEffect(() => {
    const opener = panel.current?.previousElementSibling
    if (!isOpen || !panel.current || !opener) return
    const view = { width: document.documentElement.clientWidth, height: innerHeight }
    setSide(sideFor(wanted, panel.current.getBoundingClientRect(), opener.getBoundingClientRect(), view))
    return () => setSide(wanted)
  }, [isOpen, wanted, panel])
  useLayoutEffect(() => {
    if (isOpen && side) panel.current?.scrollIntoView({ block: 'nearest' })
  }, [isOpen, side, panel])
  return side
}
