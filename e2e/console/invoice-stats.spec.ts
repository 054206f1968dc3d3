import { expect, type Page } from '@playwright/test'
import { invoice, newCustomer } from '../admin.ts'
import { expectAccessible, expectAccessibleAtBoth } from '../axe-checks.ts'
import { complaints, DESKTOP, openSummary, PHONE, signIn, waitForRows } from '../browser.ts'
import { day, monthBefore, onOneDay, sinceThen } from '../days.ts'
import { test } from '../reused-page.ts'

/** Returns a day of an earlier month, its last day, and the month's name. */
const dayOf = (monthsAgo: number, dayOfMonth = 10) =>
  monthBefore(monthsAgo)
    .toISOString()
    .replace(/-01T.*/, `-${String(dayOfMonth).padStart(2, '0')}`)
const lastDayOf = (monthsAgo: number) =>
  new Date(monthBefore(monthsAgo - 1).getTime() - 1).toISOString().slice(0, 10)
const monthText = (monthsAgo: number) =>
  monthBefore(monthsAgo).toLocaleString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })

const people = { finance: '', three: '' }

test.beforeAll(async () => {
  const customer = await newCustomer('figures')
  const bill = (
    id: string,
    platform: string,
    invoiceDate: string,
    more: { totalAmount: string } & Record<string, unknown>,
  ) => invoice(id, { platform, invoiceDate, dueDate: invoiceDate, balanceAmount: '0', ...more })
  await customer.importInvoices([
    // Four months ago, on the first and last day in UTC; then a month without bills; then two with bills.
    bill('F-1', 'web-services', dayOf(4, 1), { totalAmount: '1000.10' }),
    bill('F-2', 'own-slug', lastDayOf(4), { totalAmount: '200.20' }),
    bill('F-3', 'web-services', dayOf(2), { totalAmount: '400', balanceAmount: '150.25', dueDate: day(-9) }),
    bill('F-4', 'cloud-platform', dayOf(2), { totalAmount: '-100', balanceAmount: '-40.5' }),
    bill('F-5', 'web-services', dayOf(1), {
      totalAmount: '330.03',
      balanceAmount: '330.03',
      dueDate: day(20),
    }),
    bill('F-6', 'cloud-platform', dayOf(1), { totalAmount: '20', balanceAmount: '20', dueDate: day(40) }),
    ...Array.from({ length: 60 }, (_, n) =>
      bill(`OLD-${100 + n}`, 'office-suite', dayOf(5), { totalAmount: `${n}.5` }),
    ),
  ])
  people.finance = await customer.member('Fig Finance', 'finance-user')
  const three = await newCustomer('threecurrencies')
  await three.importInvoices([
    bill('T-1', 'web-services', dayOf(1), { totalAmount: '999999999999.99', currency: 'USD' }),
    bill('T-2', 'web-services', dayOf(2), { totalAmount: '1', currency: 'USD' }),
    bill('T-3', 'cloud-platform', dayOf(1), { totalAmount: '85300', currency: 'JPY' }),
    bill('T-4', 'cloud-platform', dayOf(1), { totalAmount: '12.345', currency: 'KWD' }),
  ])
  people.three = await three.member('Fig Three', 'finance-user')
})

/** Opens the list of invoices with its figures. */
async function signInToStats(page: Page, email: string, path = '/invoices'): Promise<void> {
  await signIn(page, email, path)
  await openSummary(page)
}

const stats = (page: Page) => page.getByRole('region', { name: 'Figures' })
const plot = (page: Page) => page.getByRole('region', { name: 'Billed per month' })
const openPlot = (page: Page) => plot(page).getByRole('button', { name: 'Billed per month' }).click()
async function numbers(page: Page): Promise<string[]> {
  await waitForRows(page)
  return page
    .getByRole('table', { name: /^Invoices/ })
    .getByRole('rowheader')
    .getByRole('link')
    .allInnerTexts()
}

/** Returns the API's answer to the screen's query string. */
async function answered(page: Page, path: string) {
  const { search, origin } = new URL(page.url())
  return (await page.request.get(`${origin}/billing/v1/${path}${search}`)).json()
}
/** Returns the amount and the note of one figure, in one currency. */
async function statCells(page: Page, name: string | RegExp, currency = 'USD'): Promise<string[]> {
  const headers = await stats(page).getByRole('columnheader').allTextContents()
  const at = headers.findIndex((header) => (typeof name === 'string' ? header === name : name.test(header)))
  const row = stats(page)
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: currency }) })
  // Name of the figure, which narrow screens show, its amount and its note.
  const [, ...cells] = await row
    .getByRole('cell')
    .nth(at - 1)
    .locator('> span')
    .allTextContents()
  return cells
}

test('the figures cover the filtered invoices, and link to the late ones', async ({ page }) => {
  await signInToStats(page, people.finance, '/invoices')
  await expect(stats(page).getByRole('table')).toBeVisible()
  expect(await statCells(page, 'Outstanding')).toEqual([
    '500.28 USD',
    'Outstanding, USD: 3 invoices, 40.50 in credit',
  ])
  expect(await statCells(page, 'Past due')).toEqual([
    '150.25 USD',
    expect.stringMatching(sinceThen((days) => `Past due, USD: 1 invoice, ${9 + days} days`)),
  ])
  expect((await statCells(page, 'Due in 30 days'))[0]).toBe('330.03 USD')
  expect(await statCells(page, /^Billed in/)).toEqual([
    '350.03 USD',
    expect.stringMatching(/: 2 invoices, Explain: \+16\.7% on [A-Z][a-z]+$/),
  ])
  const [all] = (await answered(page, 'invoice-summary')).currencies
  expect([all.outstanding.amount, all.pastDue.amount, all.dueIn30Days.amount]).toEqual([
    500.28, 150.25, 330.03,
  ])

  await stats(page).getByRole('link', { name: 'Past due, USD: 1 invoice' }).click()
  await expect(page).toHaveURL('/invoices?filter=status:PAST%20DUE')
  await expect.poll(() => numbers(page)).toEqual(['F-3'])
  await expect
    .poll(() => statCells(page, 'Outstanding'))
    .toEqual(['150.25 USD', 'Outstanding, USD: 1 invoice'])
  await expect.poll(() => statCells(page, 'Due in 30 days')).toEqual(['0.00 USD', 'none'])
  // The pressed element is still there: the keyboard continues from it.
  await expect(stats(page).getByRole('link', { name: 'Past due, USD: 1 invoice' })).toBeFocused()
})

test('each month and platform of the plot is reached by keyboard, and links to its invoices', async ({
  page,
}) => {
  await signInToStats(page, people.finance, '/invoices')
  const links = plot(page).locator('svg').getByRole('link')
  // Four months with bills and seven platforms; a single tab stop.
  await expect(links).toHaveCount(4 + 7)
  await expect(plot(page).locator('svg a[tabindex="0"]')).toHaveCount(1)
  await stats(page).getByRole('link').last().focus()
  // First the button that expands the plot, then the plot.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  const focused = page.locator('svg a:focus')
  await expect(focused).toHaveAccessibleName(`${monthText(1)}: 350.03 USD, 2 invoices`)
  await page.keyboard.press('ArrowUp')
  await expect(focused).toHaveAccessibleName(`${monthText(1)}, Cloud platform: 20.00 USD, 1 invoice`)
  await page.keyboard.press('ArrowLeft')
  await expect(focused).toHaveAccessibleName(`${monthText(2)}, Cloud platform: −100.00 USD, 1 invoice`)
  await expect(plot(page).getByText(`${monthText(2)}, Cloud platform: −100.00 USD`)).toBeVisible()
  await page.keyboard.press('Home')
  await expect(focused).toHaveAccessibleName(`${monthText(5)}: 1,800.00 USD, 60 invoices`)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await expect(focused).toHaveAccessibleName(`${monthText(4)}, Own slug: 200.20 USD, 1 invoice`)
  await page.keyboard.press('Enter')
  await expect.poll(() => numbers(page)).toEqual(['F-2'])
  await expect(page.getByRole('button', { name: 'Remove filter: Own slug' })).toBeVisible()
  await expect(focused).toHaveAccessibleName(`${monthText(4)}, Own slug: 200.20 USD, 1 invoice`)
  await expect.poll(async () => (await answered(page, 'invoices')).invoices).toHaveLength(1)
  await page.goBack()
  await openSummary(page)
  await expect(links).toHaveCount(4 + 7)
})

test("the plot has a table with the API's amounts", async ({ page }) => {
  await signInToStats(page, people.finance, '/invoices?filter=platform:web-services|cloud-platform|own-slug')
  await openPlot(page)
  await plot(page).getByText('Show as table').click()
  const table = page.getByRole('table', { name: 'Billed per month and platform, USD' })
  await expect(table.getByRole('columnheader')).toHaveText([
    'Month',
    'Cloud platform',
    'Web services',
    'Own slug',
    'Total, USD',
  ])
  const rows = await table.getByRole('row').allInnerTexts()
  expect(rows.slice(1).map((row) => row.split(/\t|\n/).filter(Boolean))).toEqual([
    [monthText(1), '20.00', '330.03', '–', '350.03'],
    [monthText(2), '−100.00', '400.00', '–', '300.00'],
    [monthText(4), '–', '1,000.10', '200.20', '1,200.30'],
  ])
  const [{ months }] = (await answered(page, 'invoice-summary')).currencies
  expect(months.map(({ totalAmount }: { totalAmount: number }) => totalAmount)).toEqual([1200.3, 300, 350.03])
  await table.getByRole('link', { name: monthText(2) }).click()
  await expect.poll(() => numbers(page)).toEqual(['F-4', 'F-3'])
})

test('column headers sort the list, by keyboard too; the address and the API have the same order', async ({
  page,
}) => {
  await signIn(page, people.finance, '/invoices')
  const columnHeader = (name: string) =>
    page.getByRole('table', { name: /^Invoices/ }).getByRole('columnheader', { name })
  await expect(columnHeader('Date')).toHaveAttribute('aria-sort', 'descending')
  await columnHeader('Total').getByRole('link').click()
  await expect(page).toHaveURL('/invoices?orderBy=totalAmount%20desc')
  await expect(columnHeader('Total')).toHaveAttribute('aria-sort', 'descending')
  await expect(columnHeader('Date')).not.toHaveAttribute('aria-sort')
  await expect(page.getByRole('table', { name: 'Invoices, highest total first' })).toBeVisible()
  const ids = async () =>
    (await answered(page, 'invoices')).invoices.map(({ id }: { id: string }) => id) as Promise<string[]>
  await expect.poll(async () => (await numbers(page)).slice(0, 3)).toEqual(['F-1', 'F-3', 'F-5'])
  await expect.poll(ids).toEqual(await numbers(page))

  await page.getByRole('link', { name: 'Next', exact: true }).click()
  await expect.poll(() => numbers(page)).toHaveLength(16)
  await expect.poll(ids).toEqual(await numbers(page))
  expect((await numbers(page)).at(-1)).toBe('F-4')
  await page.getByRole('link', { name: 'F-4' }).click()
  await expect(page.getByRole('heading', { name: 'F-4' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Next', exact: true })).toHaveCount(0)
  await page.getByRole('link', { name: 'Previous' }).click()
  await expect(page.getByRole('heading', { name: 'OLD-100' })).toBeVisible()
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Invoices' }).click()

  await expect(columnHeader('Total')).toHaveAttribute('aria-sort', 'descending')
  await columnHeader('Total').getByRole('link').focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/invoices?orderBy=totalAmount%20asc')
  await expect(columnHeader('Total')).toHaveAttribute('aria-sort', 'ascending')
  await expect(columnHeader('Total').getByRole('link')).toBeFocused()
  await expect.poll(async () => (await numbers(page))[0]).toBe('F-4')
  await page.getByRole('button', { name: 'Past due', exact: true }).click()
  await expect(page).toHaveURL('/invoices?orderBy=totalAmount%20asc&filter=status:PAST%20DUE')
  await page.getByRole('button', { name: 'Clear all' }).click()
  await expect(page).toHaveURL('/invoices?orderBy=totalAmount%20asc')
  await page.goto('/invoices?orderBy=color')
  await expect(page.getByRole('alert').filter({ hasText: 'must be one of invoiceDate' })).toBeVisible()
})

test('the list has a sort menu on a phone', async ({ page }) => {
  await page.setViewportSize(PHONE)
  await signIn(page, people.finance, '/invoices')
  await page.getByRole('button', { name: 'Order: Newest first' }).click()
  await page.getByRole('link', { name: 'Highest total first' }).click()
  await expect(page).toHaveURL('/invoices?orderBy=totalAmount%20desc')
  await expect(page.getByRole('button', { name: 'Order: Highest total first' })).toBeFocused()
  await expect.poll(async () => (await numbers(page))[0]).toBe('F-1')
})

test('several currencies are shown separately, and never added', async ({ page }) => {
  await signInToStats(page, people.three, '/invoices')
  const rows = stats(page).getByRole('row')
  await expect(rows).toHaveText([
    /^Currency/,
    /^USD.*1,000,000,000,000\.99 USD/,
    /^JPY.*85,300 JPY/,
    /^KWD.*12\.345 KWD/,
  ])
  await expect(page.getByRole('status').filter({ hasText: '4 invoices' })).toHaveText(
    '4 invoices · 2 in USD · 1 in JPY · 1 in KWD',
  )
  const links = plot(page).locator('svg').getByRole('link')
  await expect(links.last()).toHaveAccessibleName(
    `${monthText(1)}, Web services: 999,999,999,999.99 USD, 1 invoice`,
  )
  await openPlot(page)
  await plot(page).getByRole('button', { name: 'KWD' }).click()
  await expect(links).toHaveCount(2)
  await expect(links.last()).toHaveAccessibleName(`${monthText(1)}, Cloud platform: 12.345 KWD, 1 invoice`)
})

test('days and months are the same in every time zone', async ({ browser }) => {
  const seenIn = async (timezoneId: string) => {
    const page = await browser.newPage({ timezoneId })
    const problems = complaints(page)
    await signInToStats(page, people.finance, '/invoices?minCreationTime=1&orderBy=totalAmount%20desc')
    await openPlot(page)
    await plot(page).getByText('Show as table').click()
    await waitForRows(page)
    const tables = await page.getByRole('table').allInnerTexts()
    const links = await plot(page)
      .locator('svg a')
      .evaluateAll((all) => all.map((one) => `${one.getAttribute('aria-label')} ${one.getAttribute('href')}`))
    const statsText = await stats(page).textContent()
    // Hydration keeps the server's text: no word has changed.
    expect(problems).toEqual([])
    await page.close()
    return [statsText ?? '', ...tables, ...links]
  }
  const [first, last] = await onOneDay(() =>
    Promise.all([seenIn('Etc/GMT+12'), seenIn('Pacific/Kiritimati')]),
  )
  expect(first.join('\n')).toContain(monthText(4))
  expect(last).toEqual(first)
})

test('axe finds nothing on a desk or a phone, and nothing sticks out', { tag: '@deep' }, async ({ page }) => {
  const problems = complaints(page)
  for (const email of [people.finance, people.three]) {
    await page.context().clearCookies()
    await signInToStats(page, email, '/invoices?orderBy=dueDate%20asc')
    const box = stats(page).getByRole('table').locator('..')
    for (const viewport of [DESKTOP, PHONE]) {
      await page.setViewportSize(viewport)
      await expectAccessible(page)
      // Both links of the newest figure fit, in a table that could scroll.
      await expect(stats(page).getByRole('table')).toBeVisible()
      expect(await box.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
    }
    await openPlot(page)
    await plot(page).getByText('Show as table').click()
    await plot(page).locator('svg a[tabindex="0"]').focus()
    await expectAccessibleAtBoth(page)
    await page.setViewportSize(DESKTOP)
  }
  expect(problems).toEqual([])
})

test('the list works without its figures, which load on retry', async ({ page }) => {
  const customer = await newCustomer('nofigures')
  await customer.importInvoices([invoice('N-1'), invoice('N-2', { platform: 'web-services' })])
  await customer.breakSums()
  await signIn(page, await customer.member('No Figures', 'finance-user'), '/invoices')
  const missing = page.getByRole('alert').filter({ hasText: 'The figures are missing' })
  await expect(missing).toContainText('The list below is complete.')
  await expect.poll(async () => (await numbers(page)).sort()).toEqual(['N-1', 'N-2'])
  await expect(stats(page)).toHaveCount(0)
  await customer.rebuildSums()
  await missing.getByRole('button', { name: 'Add up again' }).click()
  await openSummary(page)
  await expect(stats(page).getByRole('table')).toBeVisible()
  await expect(missing).toHaveCount(0)
  await expect.poll(async () => (await statCells(page, 'Outstanding'))[0]).toBe('20.00 USD')
})
