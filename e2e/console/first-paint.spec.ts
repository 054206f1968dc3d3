import { EventEmitter, once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, type Page, test } from '@playwright/test'
import { deferScripts } from '../../lib/server/delivery/deferred-scripts.ts'
import { asset, invoice, newCustomer } from '../admin.ts'
import { complaints, giveSession, signIn } from '../browser.ts'

// Scripts are held back until the first paint: lib/server/delivery/release.ts.

/** Latest start of the scripts, in milliseconds. */
const MAX_START_MS = 3000

let admin: string

test.beforeAll(async () => {
  const customer = await newCustomer('first-paint')
  await customer.importAssets([asset('workspace-suite-1', 'Suite', { purchased: 10 })])
  await customer.importInvoices([invoice('IN-1')])
  admin = await customer.member('Ada', 'admin')
})

/**
 * Returns the times in milliseconds of the first paint, the first script request, the last script response, and the
 * load event.
 */
function times(page: Page) {
  return page.evaluate(() => {
    const scripts = performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.endsWith('.js')) as PerformanceResourceTiming[]
    const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
    const begin = navigation?.loadEventStart ?? 0
    const early = scripts.filter(({ startTime }) => startTime < begin)
    return {
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      requestedAt: Math.min(
        ...scripts.filter(({ initiatorType }) => initiatorType === 'script').map((one) => one.startTime),
      ),
      there: Math.max(...early.map(({ responseEnd }) => responseEnd)),
      loaded: begin,
    }
  })
}

for (const path of ['/sign-in', '/', '/assets', '/invoices']) {
  test(`${path} is painted, then hydrated, then loaded`, async ({ page }) => {
    const pageErrors = complaints(page)
    if (path === '/sign-in') await page.goto(path)
    else await signIn(page, admin, path)
    await expect(page.locator('script[data-src], iframe')).toHaveCount(0)
    const { paint, requestedAt, there, loaded } = await times(page)
    expect(requestedAt).toBeGreaterThan(Math.min(paint, MAX_START_MS))
    expect(loaded).toBeGreaterThanOrEqual(there)
    expect(pageErrors).toEqual([])
  })
}

test('a hidden page hydrates without a frame', async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(document, 'hidden', { get: () => true })
    window.requestAnimationFrame = () => 0
    window.PerformanceObserver = class {
      observe() {}
    } as unknown as typeof PerformanceObserver
  })
  await page.goto('/sign-in')
  await expect(page.locator('script[data-src], iframe')).toHaveCount(0)
  expect((await times(page)).requestedAt).toBeLessThan(Number.POSITIVE_INFINITY)
})

test('a press starts hydration before the first paint', async ({ page }) => {
  await page.clock.install()
  await page.addInitScript(() => {
    window.PerformanceObserver = class {
      observe() {}
    } as unknown as typeof PerformanceObserver
  })
  await page.goto('/sign-in', { waitUntil: 'commit' })
  await expect(page.getByLabel('Work email')).toBeVisible()
  await expect(page.locator('script[data-src]')).not.toHaveCount(0)
  await page.getByLabel('Work email').press('a')
  await expect(page.locator('script[data-src], iframe')).toHaveCount(0)
})

test('clicks before hydration are replayed afterwards, each once', async ({ page }) => {
  const pageErrors = complaints(page)
  await giveSession(page.context(), admin)
  const gate = new EventEmitter()
  const opened = once(gate, 'open')
  await page.route('**/_next/static/**/*.js', (route) => opened.then(() => route.continue()))
  await page.goto('/assets', { waitUntil: 'commit' })
  const licenses = page.getByRole('spinbutton', { name: 'Licenses of' })
  const before = Number(await licenses.inputValue())
  const more = page.getByRole('button', { name: 'One more: Licenses of' })
  await more.click()
  await more.press('Enter')
  await expect(licenses).toHaveValue(String(before))
  gate.emit('open')
  await expect(licenses).toHaveValue(String(before + 2))
  await page.waitForLoadState()
  await more.click()
  await expect(licenses).toHaveValue(String(before + 3))
  expect(pageErrors).toEqual([])
})

test('clicks in a part whose script is still loading are replayed after it', async ({ page }) => {
  await giveSession(page.context(), admin)
  const path = '/invoices?search=zzz'
  const first = await (await page.request.get(path)).text()
  const gate = new EventEmitter()
  const opened = once(gate, 'open')
  const isLazyScript = (url: URL) => url.pathname.endsWith('.js') && !first.includes(url.pathname)
  await page.route(isLazyScript, (route) => opened.then(() => route.continue()))
  const lazyRequest = page.waitForRequest((request) => isLazyScript(new URL(request.url())))
  await page.goto(path)
  await lazyRequest
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(page).toHaveURL(path)
  gate.emit('open')
  await expect(page).toHaveURL('/invoices')
})

test('a review that is confirmed before hydration buys nothing, and is shown again', async ({ page }) => {
  await giveSession(page.context(), admin)
  await page.route('**/_next/static/**/*.js', (route) => route.abort())
  await page.goto('/assets/workspace-suite-1?set=12')
  const press = page.getByRole('button', { name: 'Set to 12 licenses' })
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.isNavigationRequest()),
    press.click({ noWaitAfter: true }),
  ])
  expect(sent.method()).toBe('GET')
  await page.unroute('**/_next/static/**/*.js')
  await page.waitForURL('/assets/workspace-suite-1?set=12')
  await expect(page.getByText('Suite: 10 → 12 licenses')).toBeVisible()
})

test('scripts start immediately in a browser that does not report paints', async ({ page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, 'PerformanceObserver'))
  await page.goto('/sign-in')
  await expect(page.locator('script[data-src], iframe')).toHaveCount(0)
  expect((await times(page)).requestedAt).toBeLessThan(Number.POSITIVE_INFINITY)
})

test('injected markup runs no scripts', async ({ page }) => {
  const findings: string[] = []
  page.on('request', (request) => findings.push(request.url()))
  await page.goto('/sign-in')
  await page.evaluate(() => {
    const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce
    for (const source of ['https://other.example/a.js', '/_next/static/planted.js'])
      document.body.insertAdjacentHTML(
        'beforeend',
        `<script type="text/plain" data-src="${source}"></script>`,
      )
    document.body.insertAdjacentHTML(
      'beforeend',
      `<script type="text/plain" data-src="https://other.example/b.js" nonce="${nonce}"></script>`,
    )
  })
  await page.getByLabel('Work email').press('a')
  await expect(page.locator('script[data-src]')).toHaveCount(3)
  expect(findings.filter((url) => /other\.example|planted/.test(url))).toEqual([])
})

test('a page whose content loads slowly hydrates before the content', async ({ page }) => {
  const SCRIPT = '/_next/static/a.js'
  const pages: ServerResponse[] = []
  const server = createServer(
    deferScripts((req, res) => {
      const isScript = req.url === SCRIPT
      res.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
      if (isScript) return void res.end('document.title = "alive"')
      pages.push(res)
      res.write(`<!doctype html><script src="${SCRIPT}" async=""></script><h1>Frame</h1>`)
    }),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { waitUntil: 'commit' })
  await expect(page).toHaveTitle('alive')
  expect(await page.evaluate(() => document.readyState)).toBe('loading')
  // The streamed second half may contain scripts, too.
  for (const res of pages) res.end(`<script src="${SCRIPT}" async=""></script><p>Rows</p>`)
  await expect(page.getByText('Rows')).toBeVisible()
  await expect(page.locator('script[data-src], iframe')).toHaveCount(0)
  await expect.poll(() => page.evaluate(() => document.readyState)).toBe('complete')
  server.closeAllConnections()
  server.close()
})
