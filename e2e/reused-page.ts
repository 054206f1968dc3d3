import { type Page, test as playwright } from '@playwright/test'

/** Path of the same origin without scripts: `about:blank` would end the page's process. */
const PAUSE = '/billing'

const EVENTS = [
  'console',
  'dialog',
  'download',
  'pageerror',
  'popup',
  'request',
  'requestfailed',
  'response',
] as const

/** Page of this worker, for the lifetime of its browser. */
let reused: Page | undefined

/**
 * Playwright's `test`, with one `page` and `context` for all tests of a worker: a new one costs a third of a second. Each
 * test begins without cookies, storage, routes and listeners. Not for tests with a clock or scripts at the start of each page,
 * which would stay.
 */
export const test = playwright.extend({
  context: async ({ browser, baseURL, viewport }, use) => {
    const options = { baseURL: baseURL ?? '', viewport, reducedMotion: 'reduce' as const }
    if (!reused || reused.isClosed()) reused = await (await browser.newContext(options)).newPage()
    const [page, context] = [reused, reused.context()]
    await use(context)
    for (const other of context.pages()) if (other !== page) await other.close()
    // Playwright's own listeners for the end of a page stay.
    for (const event of EVENTS) page.removeAllListeners(event)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    await context.setOffline(false)
    await page.goto(PAUSE)
    await page.evaluate(() => {
      localStorage.clear()
      sessionStorage.clear()
    })
    await context.clearCookies()
    await context.clearPermissions()
    await page.emulateMedia({
      media: null,
      colorScheme: 'light',
      forcedColors: 'none',
      reducedMotion: 'reduce',
    })
    await page.mouse.move(0, 0)
    if (viewport) await page.setViewportSize(viewport)
  },
  page: async ({ context }, use) => {
    const [page] = context.pages()
    if (!page) throw new Error('The page of this worker was closed.')
    await use(page)
  },
})
