import type { Page } from '@playwright/test'

type Media = Parameters<Page['emulateMedia']>[0]

/**
 * Viewport of a check. 640 and 320 px are the widths of 1280 px at a zoom of 200 and 400 %, 688 px the width within the
 * margins of A4.
 */
export type Viewport = { name: string; width: number; height: number; media?: Media }

const DARK: Media = { colorScheme: 'dark' }

export const VIEWPORTS: readonly Viewport[] = [
  { name: 'laptop', width: 1360, height: 900 },
  { name: 'laptop-dark', width: 1360, height: 900, media: DARK },
  { name: 'phone', width: 360, height: 780 },
  { name: 'phone-dark', width: 360, height: 780, media: DARK },
  { name: 'zoom-200', width: 640, height: 450 },
  { name: 'zoom-400', width: 320, height: 256 },
  { name: 'wide', width: 2560, height: 1300 },
  { name: 'forced-colors', width: 1360, height: 900, media: { forcedColors: 'active' } },
  { name: 'print', width: 688, height: 990, media: { media: 'print' } },
]

/** Applies a viewport to the open page, and scrolls to its top. */
export async function applyViewport(page: Page, { width, height, media }: Viewport): Promise<void> {
  await page.setViewportSize({ width, height })
  await page.emulateMedia({
    ...{ media: 'screen', colorScheme: 'light', forcedColors: 'none', reducedMotion: 'reduce' },
    ...media,
  })
  await page.evaluate(() => scrollTo(0, 0))
}

/** Returns by how many pixels the page is wider than the window. */
export function excess(page: Page): Promise<number> {
  return page.evaluate(() => (document.scrollingElement?.scrollWidth ?? 0) - innerWidth)
}

/** Returns the faults of the open page's layout: its excess width and, in a deep run, numbers and days on two lines. */
export async function layoutFaults(page: Page): Promise<string[]> {
  const more = await excess(page)
  const wide = more > 0 ? [`${more} px`] : []
  if (process.env.DEEP !== '1') return wide
  const broken = await page.locator('main :is(td, th, dd)').evaluateAll((cells) => {
    const NUMBER =
      /(?<![\w-])[−+]?\d[\d,.]*(?: [A-Z]{3}\b|(?<=^\S+) [a-z]+$)?(?![\w-])|\b\d{1,2} [A-Z][a-z]{2} \d{4}\b/g
    const textsOf = (cell: Element): Node[] => {
      const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
      return Array.from({ length: 99 }, () => walker.nextNode()).filter((node) => node !== null)
    }
    const isBroken = (node: Node, { index, 0: number }: RegExpExecArray) => {
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + number.length)
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1
    }
    return cells
      .flatMap(textsOf)
      .flatMap((node) =>
        [...(node.textContent ?? '').matchAll(NUMBER)].filter((match) => isBroken(node, match)),
      )
      .map(([number]) => `${number} is on two lines`)
  })
  return [...wide, ...broken]
}
