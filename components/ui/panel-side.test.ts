import { expect, test } from 'vitest'
import { type PanelSide, sideFor } from './panel-side.ts'

const VIEW = { width: 1366, height: 651 }
const box = (left: number, top: number, width: number, height: number) => ({
  ...{ left, top, right: left + width, bottom: top + height },
})

test.each<[string, PanelSide, PanelSide, number, number, number]>([
  ['under its button', 'under-left', 'under-left', 300, 150, 300],
  ['over it, where there is no room below', 'under-left', 'over-left', 300, 500, 300],
  ['still under it, where there is none above either', 'under-left', 'under-left', 300, 250, 600],
  ['from its right edge, where it would stick out', 'under-left', 'under-right', 1250, 150, 300],
  ['both turned', 'under-left', 'over-right', 1250, 600, 300],
  ['as it was asked for', 'over-left', 'over-left', 20, 600, 100],
  ['from the right where that was asked for', 'under-right', 'under-right', 1200, 90, 100],
])('a panel opens %s', (_, preferred, expected, left, top, height) => {
  const opener = box(left, top, 100, 34)
  const isUnder = preferred.startsWith('under')
  const at = preferred.endsWith('right') ? opener.right - 300 : left
  const panel = box(at, isUnder ? opener.bottom + 6 : top - 6 - height, 300, height)
  expect(sideFor(preferred, panel, opener, VIEW)).toBe(expected)
})
