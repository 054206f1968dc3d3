import { expect, type Page } from '@playwright/test'
import { asset, invoice, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, DESKTOP, PHONE, signIn, signInFreshly } from '../browser.ts'
import { day } from '../days.ts'
import { test } from '../reused-page.ts'
import { excess } from '../viewports.ts'

// The pages for developers: with and without a session, without JavaScript, on a phone, in both themes, in print.

let customer: Awaited<ReturnType<typeof newCustomer>>
let admin = ''

test.beforeAll(async () => {
  customer = await newCustomer('developers')
  await customer.importAssets([asset('workspace-suite-1', 'Business Plus', { purchased: 20, assigned: 12 })])
  await customer.importInvoices([
    invoice('IN-1', {
      invoiceDate: day(-60),
      dueDate: day(-30),
      platform: 'cloud-platform',
      totalAmount: '120.5',
    }),
  ])
  admin = await customer.member('Dee Veloper', 'admin')
})

const tryForm = (page: Page, heading: string) =>
  page.getByRole('heading', { name: heading }).locator('~ details', { hasText: 'Try it' }).first()

test('a reader without a session and without JavaScript reads, searches and follows links', async ({
  browser,
  baseURL,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: PHONE })
  const page = await context.newPage()
  await page.goto('/developers')
  await expect(page.getByRole('heading', { level: 1, name: 'Developers' })).toBeVisible()
  await expect(page.getByText(`${baseURL}/auth/v1/validate`).first()).toBeVisible()
  await page.getByRole('searchbox').fill('decrease_not_allowed')
  await page.getByRole('button', { name: 'Search' }).click()
  await expect(page).toHaveURL(/\/developers\?q=decrease_not_allowed$/)
  await page.getByRole('link', { name: 'decrease_not_allowed', exact: true }).click()
  await expect(page).toHaveURL(/\/developers\/errors#decrease_not_allowed$/)
  await expect(page.getByRole('heading', { name: 'decrease_not_allowed' })).toBeInViewport()
  await page.locator('summary', { hasText: 'Contents' }).click()
  await page
    .getByRole('navigation', { name: 'Contents' })
    .getByRole('link', { name: 'Invoices', exact: true })
    .click()
  await expect(page.getByRole('heading', { level: 1, name: 'Invoices' })).toBeVisible()
  // Each language is one press away.
  await page.locator('summary', { hasText: 'Python' }).first().click()
  await expect(
    page
      .getByText(/import .*urllib/)
      .filter({ visible: true })
      .first(),
  ).toBeVisible()
  await context.close()
})

test('every page of the contents exists, is accessible and fits a phone, in both themes and in print', async ({
  page,
  browser,
}) => {
  const problems = complaints(page)
  await page.goto('/developers')
  const links = page.getByRole('navigation', { name: 'Contents' }).getByRole('link')
  const paths = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  expect(paths.length).toBeGreaterThan(20)
  // The server renders them: scripts change no width, and are most of the time of a load.
  const plain = await browser.newContext({
    javaScriptEnabled: process.env.DEEP === '1',
    viewport: PHONE,
  })
  const reader = await plain.newPage()
  for (const path of paths) {
    expect((await reader.goto(path))?.status()).toBe(200)
    expect([path, await excess(reader)]).toEqual([path, 0])
  }
  await plain.close()
  let opened = 0
  for (const path of [
    '/developers',
    '/developers/errors',
    '/developers/license-changes',
    '/developers?q=invoice',
  ]) {
    await page.goto(path)
    opened += await page.locator('main details').evaluateAll((all) => {
      for (const one of all) (one as HTMLDetailsElement).open = true
      return all.length
    })
    for (const viewport of [DESKTOP, PHONE]) {
      await page.setViewportSize(viewport)
      await expectGood(page)
    }
  }
  expect(opened).toBeGreaterThan(20)
  await page.emulateMedia({ media: 'print' })
  await page.goto('/developers/license-changes')
  for (const text of ['curl --fail-with-body', 'await fetch(', 'import json, os, urllib.request'])
    await expect(page.getByText(text).first()).toBeVisible()
  expect(await excess(page)).toBe(0)
  expect(problems).toEqual([])
})

test('an unknown page is 404, as HTML and as Markdown', async ({ request }) => {
  for (const path of [
    '/developers/not-there',
    '/developers/not-there.md',
    '/developers/errors/more',
    '/developers/constructor',
  ])
    expect([path, (await request.get(path)).status()]).toEqual([path, 404])
})

test('each page is Markdown by its ending and by Accept', async ({ request, baseURL }) => {
  for (const [path, headers] of [
    ['/developers.md', {}],
    ['/developers', { Accept: 'text/markdown' }],
    ['/developers/license-changes.md', {}],
    ['/developers/license-changes', { Accept: 'text/markdown, */*;q=0.1' }],
  ] as const) {
    const response = await request.get(path, { headers })
    const text = await response.text()
    expect([path, response.status(), response.headers()['content-type']]).toEqual([
      path,
      200,
      'text/markdown; charset=utf-8',
    ])
    expect(text).toMatch(/^# /)
    expect(text).toContain(`${baseURL}/`)
    expect(text).not.toMatch(/\{#|^::/m)
  }
  const html = await request.get('/developers/lists', { headers: { Accept: 'text/html, text/markdown' } })
  expect(html.headers()['content-type']).toMatch(/^text\/html/)
  const changelog = await (await request.get('/developers/changelog.md')).text()
  expect(changelog).toContain('## 25 November 2026')
})

test('the document of the API is compressed, and pages of other sites may read it', async ({ request }) => {
  const response = await request.get('/billing/v1/openapi.json', { headers: { 'Accept-Encoding': 'gzip' } })
  expect(response.headers()).toMatchObject({
    'content-encoding': 'gzip',
    vary: 'Accept-Encoding',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  })
  expect(Number(response.headers()['content-length'])).toBeLessThan(60_000)
  const { etag = '' } = response.headers()
  const headers = { 'Accept-Encoding': 'gzip', 'If-None-Match': etag }
  expect((await request.get('/billing/v1/openapi.json', { headers })).status()).toBe(304)
  expect((await response.json()).openapi).toBe('3.1.1')
})

test('a member creates a key, and the quick start shows the command with it, once', async ({ page }) => {
  const problems = complaints(page)
  await signInFreshly(page, admin, '/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Name').fill('Docs')
  await page.getByRole('checkbox', { name: 'Admin' }).check()
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  const key = (await page.getByRole('dialog').locator('code').first().textContent()) ?? ''
  await page.getByRole('link', { name: 'Quick start with this key' }).click()
  await expect(page).toHaveURL(/\/developers$/)
  await expect(page.getByText(`export API_KEY=${key}`)).toBeVisible()
  // Code between the steps does not restart their numbers.
  expect(
    await page.locator('ol').evaluateAll((lists) => lists.map((list) => (list as HTMLOListElement).start)),
  ).toEqual([1, 3, 4])
  await page.reload()
  await expect(page.getByText('export API_KEY=lic_…')).toBeVisible()
  await expect(page.getByText(key)).toHaveCount(0)
  expect(problems).toEqual([])
})

test('a member tries a read, and a change as a dry run', async ({ page }) => {
  await signIn(page, admin, '/developers/invoices')
  const list = tryForm(page, 'List invoices')
  await list.locator('summary').click()
  await list.getByLabel('filter').fill('status:PAST DUE')
  for (const label of ['minCreationTime', 'maxResults']) await list.getByLabel(label).fill('')
  await list.getByRole('button', { name: 'Send' }).click()
  await expect(list.getByText('200 OK')).toBeVisible()
  await expect(list.getByText('"IN-1"')).toBeVisible()
  await page.goto('/developers/license-changes')
  const change = tryForm(page, "Set an asset's total number of licenses")
  await change.locator('summary').click()
  await change.getByLabel('asset_id').fill('workspace-suite-1')
  await change.getByLabel('Body').fill('{ "quantity": 25 }')
  const [sent] = await Promise.all([
    page.waitForRequest((each) => each.method() === 'PATCH'),
    change.getByRole('button', { name: 'Send as a dry run' }).click(),
  ])
  expect(new URL(sent.url()).search).toBe('?dryRun=true')
  await expect(change.getByText('200 OK')).toBeVisible()
  await expect(change.getByText('"NumberOfSeats": 25')).toBeVisible()
  const response = await page.request.get('/billing/v1/assets/workspace-suite-1')
  expect((await response.json()).properties.subscription.Seats.NumberOfSeats).toBe(20)
  // A change without a dry run can't be tried: the page has a form for each of its reads, and for the dry run.
  const reads = page.getByRole('button', { name: 'Send', exact: true, includeHidden: true })
  await expect(reads).toHaveCount(2)
  const changes = page.getByRole('button', { name: 'Send as a dry run', includeHidden: true })
  await expect(changes).toHaveCount(1)
})

test('the screens link to the documentation, and readers without a session are led to sign in', async ({
  page,
}) => {
  await signIn(page, admin, '/')
  await page.getByRole('link', { name: 'documentation for developers' }).click()
  await expect(page).toHaveURL(/\/developers$/)
  await page.goto('/keys')
  await page.getByRole('link', { name: 'Documentation' }).click()
  await expect(page).toHaveURL(/\/developers$/)
  await page.context().clearCookies()
  await page.goto('/developers/invoices')
  const list = tryForm(page, 'List invoices')
  await list.locator('summary').click()
  await expect(list.getByRole('link', { name: 'Sign in' })).toHaveAttribute(
    'href',
    '/sign-in?from=%2Fdevelopers%2Finvoices%23listInvoices',
  )
})
