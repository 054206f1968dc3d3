import { type Page, test as playwright } from '@playwright/test'

/** Path of the same origin without scripts: `about:blank` would end the page's process. */
const PAUSE = '/billing'

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
    reused ??= await (await browser.newContext(options)).newPage()
    const [page, context] = [reused, reused.context()]
    await use(context)
    for (const other of context.pages()) if (other !== page) await other.close()
    page.removeAllListeners()
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
    await page.emulateMedia({ media: null, colorScheme: null, forcedColors: null, reducedMotion: 'reduce' })
    await page.mouse.move(0, 0)
    if (viewport) await page.setViewportSize(viewport)
  },
  page: async ({ context }, use) => {
    const [page] = context.pages()
    if (page) await use(page)
  },
})
