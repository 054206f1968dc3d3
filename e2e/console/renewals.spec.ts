import { expect, type Page } from '@playwright/test'
import { asset, invoice, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { clipboardText, complaints, exported, PHONE, signIn, signInFreshly } from '../browser.ts'
import { day, dayLabel } from '../days.ts'
import { test } from '../reused-page.ts'

let customer: Awaited<ReturnType<typeof newCustomer>>
const people = { admin: '', it: '', finance: '' }
const [firstEnd, secondEnd] = [day(40), day(130)]
const LONG = 'Enterprise Plus for Regulated Research with Extended Data Residency and Assured Support'

test.beforeAll(async () => {
  customer = await newCustomer('renewals')
  await customer.importAssets([
    asset('workspace-suite-1', 'Business Plus', {
      purchased: 120,
      assigned: 100,
      commitmentEnd: `${firstEnd}T00:00:00Z`,
    }),
    asset('office-suite-2', LONG, { purchased: 60, assigned: 60, commitmentEnd: `${secondEnd}T00:00:00Z` }),
    asset('workspace-suite-3', 'Frontline', { purchased: 10, assigned: 5 }),
  ])
  const billed = { platform: 'workspace-suite', invoiceDate: day(-20), dueDate: day(20), balanceAmount: '0' }
  await customer.importInvoices([
    invoice('IN-SEATS', {
      ...billed,
      totalAmount: '2160.00',
      lines: [{ description: 'Business Plus', price: '18', qty: '120' }],
    }),
  ])
  people.admin = await customer.member('Ada Min', 'admin')
  people.it = await customer.member('Ida Tech', 'it-manager')
  people.finance = await customer.member('Fin Ance', 'finance-user')
})

const RENEWALS = '/assets/renewals'
const row = (page: Page, text: string) =>
  page.getByRole('table', { name: 'Renewals' }).getByRole('row', { name: text })
const months = (page: Page) => page.getByRole('navigation', { name: 'Months' }).getByRole('link')
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

test('an Admin sees the renewals, chooses a month, and opens an asset', async ({ page }) => {
  const pageErrors = complaints(page)
  await signIn(page, people.admin, '/assets')
  await page.getByRole('navigation', { name: 'Assets' }).getByRole('link', { name: 'Renewals' }).click()
  await expect(page).toHaveURL(RENEWALS)
  await expect(page).toHaveTitle(/^Renewals/)
  await expect(page.getByRole('status').filter({ hasText: '2 plans in the next 12 months' })).toBeVisible()
  await expect(row(page, 'Business Plus')).toContainText(dayLabel(firstEnd))
  await expect(row(page, 'Business Plus')).toContainText(dayLabel(day(39)))
  await expect(row(page, 'Business Plus')).toContainText('120 licenses')
  await expect(row(page, 'Business Plus')).toContainText('20 unassigned')
  await expect(row(page, 'Business Plus')).toContainText('2,160.00 USD a month')
  await expect(row(page, 'Business Plus')).toContainText('360.00 USD a month unassigned')
  await expect(row(page, LONG)).toContainText('No known price')
  await expect(page.getByRole('list', { name: 'In a year, at the last prices' })).toContainText(
    '25,920.00 USD a year at the last prices, 4,320.00 USD of it unassigned',
  )
  await expect(page.getByRole('rowheader')).toHaveCount(2)
  await expectGood(page)
  await expect(months(page)).toHaveCount(2)
  await months(page).first().click()
  await expect(page).toHaveURL(new RegExp(`month=${firstEnd.slice(0, 7)}$`))
  await expect(months(page).first()).toHaveAttribute('aria-current', 'true')
  await expect(row(page, LONG)).toHaveCount(0)
  await expectGood(page)
  await page.reload()
  await expect(row(page, 'Business Plus')).toBeVisible()
  await expect(row(page, LONG)).toHaveCount(0)
  await page.getByRole('button', { name: /^Remove filter/ }).click()
  await expect(row(page, LONG)).toBeVisible()
  await page.getByRole('button', { name: 'Type: All types' }).click()
  await page.getByRole('checkbox', { name: /^Office suite/ }).check()
  await expect(page).toHaveURL(/filter=type:office-suite$/)
  await expect(row(page, 'Business Plus')).toHaveCount(0)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Clear all' }).click()
  // The whole row is the link.
  await page.getByRole('button', { name: 'Next quarter' }).click()
  await expect(page).toHaveURL(/quarter=\d{4}-Q[1-4]$/)
  await expect(page.getByRole('status').filter({ hasText: /^\d plans? in Q[1-4] \d{4}$/ })).toBeVisible()
  await page.getByRole('button', { name: 'Next quarter', pressed: true }).click()
  await expect(page).toHaveURL(RENEWALS)
  await row(page, 'Business Plus').click()
  await expect(page).toHaveURL(/\/assets\/workspace-suite-1$/)
  expect(pageErrors).toEqual([])
})

test('a month is chosen and left, and its file saved, by keyboard only', async ({ page }) => {
  await signIn(page, people.it, RENEWALS)
  await expect(row(page, 'Business Plus')).toBeVisible()
  await months(page).first().focus()
  await page.keyboard.press('Tab')
  await expect(months(page).nth(1)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`month=${secondEnd.slice(0, 7)}$`))
  await expect(row(page, 'Business Plus')).toHaveCount(0)
  await expect(months(page).nth(1)).toBeFocused()
  const download = page.waitForEvent('download')
  await exported(page, 'CSV')()
  expect((await download).suggestedFilename()).toBe(`renewals-${secondEnd.slice(0, 7)}.csv`)
  await months(page).nth(1).focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(RENEWALS)
  await expect(row(page, 'Business Plus')).toBeVisible()
})

test('each row fits on a phone, light and dark', async ({ page }) => {
  await page.setViewportSize(PHONE)
  await signIn(page, people.admin, RENEWALS)
  await expect(row(page, LONG)).toBeVisible()
  await expect(row(page, 'Business Plus')).toContainText('Decide by')
  await expectGood(page)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.getByRole('button', { name: 'Calendar feed' }).click()
  await expect(dialog(page, 'Calendar feed').getByText('You have no link.')).toBeVisible()
  await expectGood(page)
})

test('a member creates a calendar link, a calendar reads it, and revoking ends it', async ({
  page,
  context,
  request,
}) => {
  const pageErrors = complaints(page)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signInFreshly(page, people.it, RENEWALS)
  const open = page.getByRole('button', { name: 'Calendar feed' })
  await open.focus()
  await page.keyboard.press('Enter')
  await expect(dialog(page, 'Calendar feed').getByText('You have no link.')).toBeVisible()
  await expectGood(page)
  const make = dialog(page, 'Calendar feed').getByRole('button', { name: 'Create link' })
  await make.focus()
  await page.keyboard.press('Enter')
  await expect(dialog(page, 'Calendar link')).toBeVisible()
  await expectGood(page)
  const url = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
  expect(url).toMatch(/\/calendar\/cal_[0-9A-Za-z]{36}\.ics$/)
  await page.getByRole('button', { name: 'Copy link' }).click()
  expect(await clipboardText(page, new RegExp(`^${url}$`))).toBe(url)
  const path = new URL(url).pathname
  const answer = await request.get(path)
  expect([answer.status(), answer.headers()['content-type'], answer.headers()['cache-control']]).toEqual([
    200,
    'text/calendar; charset=utf-8',
    'no-store',
  ])
  const text = await answer.text()
  expect(text).toContain(`DTSTART;VALUE=DATE:${firstEnd.replaceAll('-', '')}`)
  expect(text).toContain(`DTSTART;VALUE=DATE:${day(39).replaceAll('-', '')}`)
  expect(text.replaceAll('\r\n ', '')).toContain('2\\,160.00 USD a month at the last price')
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(open).toBeFocused()
  await open.click()
  await expect(dialog(page, 'Calendar feed').getByText(`cal_…${path.slice(-8, -4)}`)).toBeVisible()
  await expect(dialog(page, 'Calendar feed').getByText('Read last on')).toBeVisible()
  await expect(page.getByText(url)).toHaveCount(0)
  await page.getByRole('button', { name: 'Revoke the link' }).click()
  await expect(dialog(page, 'Calendar feed').getByText('Link revoked')).toBeVisible()
  await expectGood(page)
  expect((await request.get(path)).status()).toBe(404)
  expect((await request.post(path, { data: {} })).status()).toBe(405)
  expect(pageErrors).toEqual([])
})

test('a Finance User sees the required role, and a customer without commitments a placeholder', async ({
  page,
}) => {
  await signIn(page, people.finance, RENEWALS)
  await expect(page.getByText('IT Manager or Admin')).toBeVisible()
  const quiet = await newCustomer('quiet')
  await page.context().clearCookies()
  await signIn(page, await quiet.member('Qui Et', 'admin'), RENEWALS)
  await expect(page.getByText('No commitment ends in the next 12 months')).toBeVisible()
  await expectGood(page)
  await page.goto(`${RENEWALS}?month=2026-99`)
  await expect(page.getByText('must be a month, as in 2026-12')).toBeVisible()
  await page.goto(`${RENEWALS}?month=2020-01`)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(page).toHaveURL(RENEWALS)
})

test('home links to the renewals', async ({ page }) => {
  await signIn(page, people.admin)
  await page.getByRole('link', { name: 'View all renewals' }).click()
  await expect(page).toHaveURL(RENEWALS)
  await expect(row(page, 'Business Plus')).toBeVisible()
})
