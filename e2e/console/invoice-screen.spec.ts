import { readFileSync } from 'node:fs'
import { expect, type Page } from '@playwright/test'
import { parse } from 'csv-parse/sync'
import { invoice, newCustomer } from '../admin.ts'
import { expectAccessibleAtBoth, expectGood } from '../axe-checks.ts'
import { addFilter, complaints, exported, openSummary, signIn, waitForRows } from '../browser.ts'
import { day, monthBefore } from '../days.ts'
import { test } from '../reused-page.ts'
import { excess } from '../viewports.ts'

// Screen of the finance clerk: its content at first sight, and that each figure and filter leads to exactly the same
// rows on the screen, in the API and in the file.

const CURRENCIES = ['USD', 'EUR', 'JPY', 'KWD', 'CLF', 'GBP']
const people = { finance: '', six: '' }
let key = ''

test.beforeAll(async () => {
  const customer = await newCustomer('payer')
  await customer.profile('default', 'Payer Inc.')
  await customer.profile('europe', 'Payer Europe GmbH')
  const pastDueInvoice = (id: string, days: number, more: object = {}) =>
    invoice(id, { invoiceDate: day(-days - 30), dueDate: day(-days), totalAmount: '100.10', ...more })
  const paid = { invoiceDate: day(-60), dueDate: day(-30), balanceAmount: '0' }
  const europe = { billingProfileId: 'europe', currency: 'EUR', issuer: 'Fernhill Cloud, Inc.' }
  await customer.importInvoices([
    ...[83, 50, 20, 3].map((days, n) => pastDueInvoice(`US-${n}`, days)),
    ...[40, 9].map((days, n) => pastDueInvoice(`EU-${n}`, days, europe)),
    // Open, with due dates within and after the next 30 days.
    pastDueInvoice('US-SOON', -10),
    pastDueInvoice('US-THEN', -45, { invoiceDate: day(0) }),
    pastDueInvoice('EU-SOON', -30, europe),
    invoice('CN-1', { invoiceDate: day(-5), dueDate: day(5), totalAmount: '-20', balanceAmount: '-20' }),
    ...Array.from({ length: 30 }, (_, n) =>
      invoice(`PAID-${n}`, { ...paid, totalAmount: `${n}.01`, ...(n % 3 ? {} : europe) }),
    ),
    invoice('LONG', {
      ...paid,
      totalAmount: '3000',
      lines: Array.from({ length: 3000 }, (_, n) => ({
        description: n % 250 === 7 ? `Rare ${n}` : `Compute ${n}`,
        price: n % 250 === 7 ? '0.10' : '1',
        qty: '1',
      })),
    }),
  ])
  people.finance = await customer.member('Pia Payer', 'finance-user')
  key = await customer.key('finance-user')
  const six = await newCustomer('sixcurrencies')
  await six.importInvoices(
    CURRENCIES.flatMap((currency, n) => [
      invoice(`BIG-${currency}`, {
        currency,
        invoiceDate: monthBefore(1).toISOString().slice(0, 10),
        dueDate: day(-n - 1),
        totalAmount: '999999999999.99',
        lines: [{ description: 'Compute', price: '999999999999.99', qty: '1' }],
      }),
      invoice(`SOON-${currency}`, {
        currency,
        invoiceDate: day(-1),
        dueDate: day(20),
        totalAmount: '888888888888.88',
      }),
    ]),
  )
  people.six = await six.member('Sia Six', 'finance-user')
})

const stats = (page: Page) => page.getByRole('region', { name: 'Figures' })
const filters = (page: Page) => page.getByRole('search', { name: 'Filters' })
const table = (page: Page) => page.getByRole('table', { name: /^Invoices/ })
async function numbers(page: Page): Promise<string[]> {
  await waitForRows(page)
  return table(page).getByRole('rowheader').getByRole('link').allInnerTexts()
}
/** Returns the rows of the API and of the file for the screen's query string. */
async function answered(page: Page): Promise<{ api: string[]; csv: string[]; count: number }> {
  const { search, origin } = new URL(page.url())
  const fetchJson = (path: string) =>
    page.request.get(`${origin}/billing/v1/${path}${search}`, { headers: { Authorization: `Bearer ${key}` } })
  const { invoices } = await (await fetchJson('invoices')).json()
  const { count } = await (await fetchJson('invoice-summary')).json()
  const rows: { id: string }[] = parse(await (await fetchJson('invoices.csv')).text(), {
    columns: true,
    bom: true,
  })
  return { api: invoices.map(({ id }: { id: string }) => id), csv: rows.map(({ id }) => id), count }
}
async function expectAgreed(page: Page): Promise<void> {
  // The address may change a moment before the rows do, or after.
  await expect(async () => {
    const onScreen = await numbers(page)
    expect(await answered(page)).toEqual({ api: onScreen, csv: onScreen, count: onScreen.length })
  }).toPass({ timeout: 60_000 })
}

test('each figure links to exactly the invoices that it counts', async ({ page }) => {
  await signIn(page, people.finance, '/invoices')
  await openSummary(page)
  await expect(
    stats(page).getByRole('link', { name: 'Past due, USD: 4 invoices, oldest 83 days' }),
  ).toBeVisible()
  const names = await stats(page).getByRole('link').allTextContents()
  // Total, outstanding, past due, due soon and newly billed, of two currencies.
  expect(names).toHaveLength(10)
  for (const name of names) {
    await stats(page).getByRole('link', { name, exact: true }).click()
    await expect(page).not.toHaveURL(/\/invoices$/)
    await expect(page.getByRole('status').filter({ hasText: /^\d+ invoices? · total/ })).toBeVisible()
    const count = / (\d+) invoices?/.exec(name)?.[1]
    if (count !== undefined) await expect.poll(async () => (await numbers(page)).length).toBe(Number(count))
    await expectAgreed(page)
    await page.goBack()
    await expect(page).toHaveURL(/\/invoices$/)
    await openSummary(page)
  }
})

test('billing profile, issuer, currency and amount are columns and filters', async ({ page }) => {
  await signIn(page, people.finance, '/invoices')
  for (const name of ['Billed to', 'Issuer'])
    await expect(table(page).getByRole('columnheader', { name })).toBeVisible()
  await expect(table(page).getByRole('row').filter({ hasText: 'EU-SOON' })).toContainText('Payer Europe GmbH')
  const chooseOption = async (filter: string, choice: string) => {
    await addFilter(page, filter)
    await filters(page).getByRole('checkbox', { name: choice }).check()
    await page.keyboard.press('Escape')
  }
  await chooseOption('Billed to', 'Payer Europe GmbH')
  await expect(page).toHaveURL(/filter=billingProfile:europe$/)
  await expect.poll(() => numbers(page)).toHaveLength(13)
  await expectAgreed(page)
  await chooseOption('Issuer', 'Fernhill Cloud, Inc.')
  await chooseOption('Currency', 'EUR')
  await addFilter(page, 'Amount')
  await page.getByLabel('From').fill('1.000,50')
  await expect(page.getByText('Use the format 1250.50.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Apply' })).toBeDisabled()
  await page.getByLabel('From').fill('21.01')
  await page.getByLabel('To', { exact: true }).fill('100.09')
  await expectGood(page)
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect.poll(() => numbers(page)).toEqual(['PAID-27', 'PAID-24', 'PAID-21'])
  await expectAgreed(page)
  await expect(filters(page).getByRole('button', { name: /^Remove filter/ })).toHaveCount(4)
  await filters(page).getByRole('button', { name: 'Remove filter: 21.01 – 100.09' }).click()
  await expect(filters(page).getByRole('button', { name: 'Add filter' })).toBeFocused()
  await expect.poll(() => numbers(page)).toHaveLength(13)
  await page.getByRole('link', { name: 'EU-SOON' }).click()
  for (const [term, value] of [
    ['Billed to', 'Payer Europe GmbH'],
    ['Issuer', 'Fernhill Cloud, Inc.'],
  ] as const)
    await expect(page.locator('dl > div').filter({ hasText: term })).toContainText(value)
})

test('a search finds any part of a number or issuer, and the file name has its range', async ({ page }) => {
  await signIn(page, people.finance, '/invoices?search=aid-1')
  await expect.poll(() => numbers(page)).toHaveLength(11)
  await expectAgreed(page)
  await page.goto('/invoices?search=hill%20cl')
  await expect.poll(() => numbers(page)).toHaveLength(13)
  await expectAgreed(page)
  await filters(page)
    .getByRole('button', { name: /^Invoice date/ })
    .click()
  await page.getByRole('button', { name: 'Last month' }).click()
  await expect(page).toHaveURL(/minCreationTime/)
  const [file] = await Promise.all([page.waitForEvent('download'), exported(page, 'Invoices, CSV')()])
  const first = monthBefore(1).toISOString().slice(0, 10)
  const last = new Date(monthBefore(0).getTime() - 1).toISOString().slice(0, 10)
  expect(file.suggestedFilename()).toBe(`invoices-${first}-to-${last}.csv`)
  expect(readFileSync(await file.path(), 'utf8')).toContain('billingProfileId')
})

/** Returns the amounts in these elements that wrap or overflow the screen. */
function cutOffAmounts(elements: Element[]): string[] {
  const findings: string[] = []
  for (const element of elements) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const text = walker.currentNode.textContent ?? ''
      if (!/\d,\d{3},/.test(text)) continue
      const range = document.createRange()
      range.selectNodeContents(walker.currentNode)
      const boxes = [...range.getClientRects()].filter((box) => box.width > 0)
      if (new Set(boxes.map((box) => Math.round(box.top))).size > 1) findings.push(`on two lines: ${text}`)
      if (boxes.some((box) => box.right > innerWidth || box.left < 0)) findings.push(`cut: ${text}`)
    }
  }
  return findings
}

const WIDTHS = [360, 722, 768, 992, 1024, 1366, 1920, 2560]

test('amounts of 12 digits in six currencies are whole from 360 to 2560 px', async ({ page }) => {
  const pageErrors = complaints(page)
  await signIn(page, people.six, '/invoices')
  await openSummary(page)
  await expect(stats(page).getByRole('table')).toBeVisible()
  await page.getByRole('button', { name: /^Show \d more currencies$/ }).click()
  await expect(stats(page).getByRole('row')).toHaveCount(7)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    for (const part of [stats(page), table(page)]) {
      const broken = await part.locator('tbody td, tbody th').evaluateAll(cutOffAmounts)
      expect(broken, `at ${width} px`).toEqual([])
    }
    const scrolled = await stats(page)
      .locator('div')
      .first()
      .evaluate((box) => box.scrollWidth - box.clientWidth)
    expect(scrolled, `at ${width} px`).toBeLessThanOrEqual(0)
  }
  await page.goto('/invoices/BIG-KWD')
  const amounts = page.getByRole('definition').filter({ hasText: /\d,\d{3},/ })
  await expect.poll(() => amounts.count()).toBeGreaterThan(2)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    expect(await amounts.evaluateAll(cutOffAmounts), `at ${width} px`).toEqual([])
    expect(await excess(page), `at ${width} px`).toBeLessThanOrEqual(0)
  }
  await expectAccessibleAtBoth(page)
  expect(pageErrors).toEqual([])
})

/** Returns the pixels between a panel and its button, over or under it; Infinity where they do not overlap horizontally. */
function distanceToButton(panel: Element): number {
  const button = document.querySelector(`[popovertarget="${panel.id}"]`)?.getBoundingClientRect()
  const { top, bottom, left, right } = panel.getBoundingClientRect()
  if (!button || left >= button.right || right <= button.left) return Number.POSITIVE_INFINITY
  return Math.min(Math.abs(top - button.bottom), Math.abs(bottom - button.top))
}

test('a panel opens where it has room', async ({ page }) => {
  await page.setViewportSize({ width: 1366, height: 560 })
  await signIn(page, people.finance, '/invoices')
  for (const filter of ['Amount', 'Product', 'Documents']) {
    await addFilter(page, filter)
    const panel = filters(page).locator(':popover-open')
    await expect(panel).toBeInViewport({ ratio: 1 })
    await expect.poll(() => panel.evaluate(distanceToButton), filter).toBeLessThanOrEqual(12)
    await page.keyboard.press('Escape')
    await expect(panel).toHaveCount(0)
  }
})

test('an invoice of 3,000 lines shows one page, and its search and sum cover all lines', async ({ page }) => {
  await signIn(page, people.finance, '/invoices/LONG')
  const lines = page.getByRole('table', { name: 'Line items' })
  await expect(lines.getByRole('row')).toHaveCount(101)
  await expect(page.getByText('3,000 lines')).toBeVisible()
  expect(await page.locator('*').count()).toBeLessThan(2500)
  const html = await (await page.request.get('/invoices/LONG')).text()
  expect(html.length).toBeLessThan(700_000)
  await page.getByRole('button', { name: 'Next lines' }).click()
  await expect(lines.getByRole('rowheader').first()).toContainText('Compute 100')
  await page.getByRole('searchbox', { name: 'Search line items' }).fill('RARE')
  await expect(page.getByText('12 of 3,000 lines · 1.20 USD')).toBeVisible()
  await expect(lines.getByRole('row')).toHaveCount(13)
  await expectGood(page)
  await page.getByRole('searchbox', { name: 'Search line items' }).fill('')
  await expect(lines.getByRole('row')).toHaveCount(101)
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
  await expect(lines.getByRole('row')).toHaveCount(3001)
  await page.evaluate(() => dispatchEvent(new Event('afterprint')))
  await expect(lines.getByRole('row')).toHaveCount(101)
})
