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
