import { expect, type Page, test } from '@playwright/test'
import { asset, invoice, newCustomer } from '../admin.ts'
import { complaints, giveSession, PHONE, signIn, waitForRows } from '../browser.ts'

let customer: Awaited<ReturnType<typeof newCustomer>>
let email = ''

test.beforeAll(async () => {
  customer = await newCustomer('going')
  await customer.importAssets([asset('workspace-suite-1', 'Business Plus', { purchased: 240 })])
  await customer.importInvoices([invoice('IN-1')])
  email = await customer.member('Ada', 'admin')
})

const main = (page: Page) => page.getByRole('navigation', { name: 'Main' })
const toScreen = (page: Page, name: string) => main(page).getByRole('link', { name, exact: true })
const pathOf = (page: Page) => new URL(page.url()).pathname

/** Holds each page requested within the console until it is released or failed. */
async function holdPages(page: Page) {
  const open = Promise.withResolvers<'through' | 'down'>()
  await page.route('**/*_rsc=*', async (route) => {
    if ((await open.promise) === 'through') await route.continue()
    else await route.abort()
  })
  return open.resolve
}

/** Waits until the console handles links, not only the browser. */
async function live(page: Page): Promise<void> {
  await waitForRows(page)
  await page.waitForFunction(() =>
    Object.keys(document.querySelector('main') ?? {}).some((key) => key.startsWith('__reactProps')),
  )
}

test('a click changes title and navigation before the server answers, and shows a skeleton', async ({
  page,
}) => {
  const pageErrors = complaints(page)
  await signIn(page, email, '/assets')
  await live(page)
  await expect(page).toHaveTitle('Assets · Licenses & Invoices')
  const release = await holdPages(page)
  await toScreen(page, 'Invoices').click()
  await expect(page).toHaveTitle('Invoices · Licenses & Invoices')
  await expect(toScreen(page, 'Invoices')).toHaveAttribute('aria-current', 'page')
  await expect(toScreen(page, 'Assets')).not.toHaveAttribute('aria-current')
  await expect(page.getByRole('heading', { level: 1, name: 'Invoices' })).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'Loading…' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Business Plus' })).not.toBeVisible()
  // All of it before any answer.
  expect(pathOf(page)).toBe('/assets')

  // Another click in the meantime leads elsewhere.
  await toScreen(page, 'Members').click()
  await expect(page).toHaveTitle('Members · Licenses & Invoices')
  await expect(page.getByRole('heading', { level: 1, name: 'Members' })).toBeVisible()
  release('through')
  await expect(page).toHaveURL(/\/members$/)
  await expect(page.getByRole('table')).toBeVisible()
  await expect(page.getByText('Loading…')).toHaveCount(0)
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
  await expect(page).toHaveTitle('Members · Licenses & Invoices')
  expect(pageErrors).toEqual([])
})

test('a row also navigates immediately, and Back needs no skeleton', async ({ page }) => {
  await signIn(page, email, '/invoices')
  await live(page)
  const release = await holdPages(page)
  await page.getByRole('link', { name: 'IN-1' }).click()
  await expect(page).toHaveTitle('Invoice · Licenses & Invoices')
  await expect(page.getByRole('heading', { level: 1, name: 'Invoice', exact: true })).toBeVisible()
  await expect(toScreen(page, 'Invoices')).toHaveAttribute('aria-current', 'true')
  release('through')
  await expect(page.getByRole('heading', { level: 1, name: 'IN-1' })).toBeVisible()
  await expect(page).toHaveTitle('Invoice IN-1 · Licenses & Invoices')
  await page.goBack()
  await expect(page.getByRole('link', { name: 'IN-1' })).toBeVisible()
  await expect(page).toHaveTitle('Invoices · Licenses & Invoices')
  await expect(toScreen(page, 'Invoices')).toHaveAttribute('aria-current', 'page')
})

test('another view of the same list keeps its rows and its title', async ({ page }) => {
  await signIn(page, email, '/invoices')
  await live(page)
  const release = await holdPages(page)
  await page.getByRole('searchbox').fill('IN-1')
  await expect(page.locator('[aria-busy=true]')).not.toHaveCount(0)
  await expect(page.getByRole('link', { name: 'IN-1' })).toBeVisible()
  await expect(page.getByText('Loading…')).toHaveCount(0)
  release('through')
  await expect(page).toHaveURL(/search=IN-1/)
})

test('visible links are not prefetched; pressing or focusing one prefetches it', async ({ page }) => {
  const requested: string[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (searchParams.has('_rsc')) requested.push(pathname)
  })
  await signIn(page, email, '/assets')
  await live(page)
  await toScreen(page, 'Invoices').hover()
  await page.mouse.down()
  await expect.poll(() => requested).toContain('/invoices')
  // The other links, visible for longer, were not prefetched.
  expect(new Set(requested)).toEqual(new Set(['/invoices']))
  await page.mouse.move(700, 500)
  await page.mouse.up()
  expect(pathOf(page)).toBe('/assets')

  await page.keyboard.press('Tab')
  await toScreen(page, 'Activity').focus()
  await expect.poll(() => requested).toContain('/activity')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Activity' })).toBeVisible()
  await expect(page).toHaveURL(/\/activity$/)
})

test('a page prefetched a while ago is shown, and refreshed immediately', async ({ page }) => {
  await page.clock.install()
  await signIn(page, email, '/activity')
  await live(page)
  await toScreen(page, 'Invoices').click()
  await expect(page.getByRole('link', { name: 'IN-1' })).toBeVisible()
  await toScreen(page, 'Activity').click()
  await expect(page).toHaveURL(/\/activity$/)
  await customer.importInvoices([invoice('IN-NEW')])
  await page.clock.fastForward(10_000)
  await toScreen(page, 'Invoices').click()
  await expect(page.getByRole('link', { name: 'IN-NEW' })).toBeVisible()
})

test('links that are followed offline keep the page, and continue when the connection is back', async ({
  page,
}) => {
  const pageErrors = complaints(page)
  await signIn(page, email, '/assets')
  await live(page)
  const field = page.getByRole('spinbutton', { name: /^Licenses of Business Plus/ })
  await field.fill('245')
  await page.context().setOffline(true)
  const note = page.getByText('You’re offline.')
  await expect(note).toHaveText('You’re offline.')
  await toScreen(page, 'Members').click()
  await expect(note).toHaveText('You’re offline. Members opens when the connection is back.')
  await toScreen(page, 'Invoices').click()
  await expect(note).toHaveText('You’re offline. Invoices opens when the connection is back.')
  await expect(field).toHaveValue('245')
  await expect(page).toHaveTitle('Assets · Licenses & Invoices')
  await page.context().setOffline(false)
  await expect(page).toHaveURL(/\/invoices$/)
  await expect(page.getByRole('link', { name: 'IN-1' })).toBeVisible()
  await expect(note).toHaveCount(0)

  // A file, and a screen that the browser itself navigates to.
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.context().setOffline(true)
  await page.getByRole('link', { name: /CSV/ }).first().click()
  await expect(note).toHaveText('You’re offline. Your download starts when the connection is back.')
  const download = page.waitForEvent('download')
  await page.context().setOffline(false)
  await download
  await page.evaluate(() =>
    document
      .querySelector('main')
      ?.insertAdjacentHTML('beforeend', '<a href="/developers">Docs</a> <a href="/assets">Plain</a>'),
  )
  await page.context().setOffline(true)
  await expect(note).toBeVisible()
  // The last link is followed, whichever kind it is; one in another tab is left to the browser.
  await toScreen(page, 'Members').click()
  await page.getByRole('link', { name: 'Docs' }).click()
  await expect(note).toHaveText('You’re offline. The page opens when the connection is back.')
  await page.getByRole('link', { name: 'Plain' }).click()
  const isLeftToBrowser = page.getByRole('link', { name: 'Docs' }).evaluate(
    (link) =>
      new Promise((resolve) => {
        const stop = (event: Event) => {
          resolve(!event.defaultPrevented)
          event.preventDefault()
        }
        addEventListener('click', stop, { once: true })
        link.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey: true }))
      }),
  )
  expect(await isLeftToBrowser).toBe(true)
  await expect(note).toHaveText('You’re offline. Assets opens when the connection is back.')
  await page.context().setOffline(false)
  await expect(page).toHaveURL(/\/assets$/)
  await waitForRows(page)
  await expect(page.getByRole('link', { name: 'Business Plus' })).toBeVisible()
  expect(pageErrors).toEqual([])
})

test('the next page of a list and downloads that are requested offline both come later', async ({ page }) => {
  const long = await newCustomer('offline-pages')
  await long.importInvoices(Array.from({ length: 3 }, (_, n) => invoice(`IN-${n}`)))
  await signIn(page, await long.member('Ana', 'admin'), '/invoices?maxResults=2')
  await live(page)
  const note = page.getByText('You’re offline.')
  const files = page.getByRole('button', { name: 'Export', exact: true })
  const chooseFile = async (name: string) => {
    await files.click()
    await page.getByRole('link', { name, exact: true }).click()
  }
  await files.click()
  await expect(page.getByRole('link', { name: /PDF/ })).toBeVisible()
  await page.keyboard.press('Escape')

  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'Older' }).click()
  await expect(note).toHaveText('You’re offline. Invoices opens when the connection is back.')
  await chooseFile('Invoices, CSV')
  await expect(note).toHaveText(
    'You’re offline. Invoices opens, and your download starts when the connection is back.',
  )
  const [csv] = await Promise.all([page.waitForEvent('download'), page.context().setOffline(false)])
  expect(csv.suggestedFilename()).toMatch(/\.csv$/)
  await expect(page).toHaveURL(/pageToken=/)
  await expect(page.getByRole('link', { name: 'Newer' })).toBeVisible()

  // The other way around, with two files.
  await page.context().setOffline(true)
  await chooseFile('Invoices, CSV')
  await chooseFile('Line items, CSV')
  await expect(note).toHaveText('You’re offline. Your downloads start when the connection is back.')
  await page.getByRole('link', { name: 'Newer' }).click()
  const started: string[] = []
  page.on('download', (download) => started.push(download.url()))
  await page.context().setOffline(false)
  await expect.poll(() => started.length).toBe(2)
  await expect(page.getByRole('link', { name: 'Older' })).toBeVisible()
  await expect(note).toHaveCount(0)
})

test('Back returns to the same place of a list', async ({ page }) => {
  const long = await newCustomer('going-back')
  await long.importAssets(
    Array.from({ length: 40 }, (_, n) => asset(`workspace-suite-${n}`, `Plan ${n}`, { purchased: 10 })),
  )
  await long.importInvoices(Array.from({ length: 40 }, (_, n) => invoice(`IN-${100 + n}`)))
  await giveSession(page.context(), await long.member('Ana', 'admin'))
  for (const size of [{ width: 1366, height: 768 }, PHONE]) {
    await page.setViewportSize(size)
    for (const path of ['/invoices', '/assets']) {
      await page.goto(path)
      await live(page)
      const link = page.locator('main tbody tr a[href]').nth(25)
      await link.scrollIntoViewIfNeeded()
      const top = await page.evaluate(() => window.scrollY)
      expect(top).toBeGreaterThan(200)
      // Within the console, and by a new load of another page.
      for (const leave of [() => link.click(), () => page.goto('/keys')]) {
        await leave()
        await expect(page).not.toHaveURL(path)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        await page.goBack()
        await expect(link).toBeVisible()
        await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(top)
      }
    }
  }
})

test('a review comes into view, whatever opens it in the last visible row', async ({ context, browser }) => {
  const many = await newCustomer('going-down')
  await many.importAssets(
    Array.from({ length: 20 }, (_, n) => asset(`workspace-suite-${n}`, `Plan ${n}`, { purchased: 10 })),
  )
  await giveSession(context, await many.member('Ana', 'admin'))
  const storageState = await context.storageState()
  for (const viewport of [{ width: 1366, height: 768 }, PHONE]) {
    const hasTouch = viewport === PHONE
    const screen = await browser.newPage({ viewport, storageState, hasTouch })
    await screen.goto('/assets')
    await live(screen)
    const control = screen.getByRole('group', { name: 'Licenses of Plan 9' })
    const [less, more] = [control.getByRole('button').first(), control.getByRole('button').last()]
    for (const [open, to] of [
      [() => (hasTouch ? more.tap() : more.click()), 11],
      [() => (hasTouch ? less.tap() : less.click()), 9],
      [() => control.getByRole('spinbutton').press('PageUp'), 20],
    ] as const) {
      await more.evaluate((button) => button.scrollIntoView({ block: 'end' }))
      await open()
      await expect(screen.getByRole('button', { name: `Set to ${to} licenses` })).toBeInViewport({ ratio: 1 })
      await screen.keyboard.press('Escape')
    }
    await screen.close()
  }
})
