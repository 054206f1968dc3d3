import { expect, type Page } from '@playwright/test'
import { asset, invoice, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, openMenu, PHONE, signIn, waitForRows } from '../browser.ts'
import { day } from '../days.ts'
import { test } from '../reused-page.ts'

const people = { admin: '', it: '', finance: '', columns: '' }

test.beforeAll(async () => {
  const customer = await newCustomer('views')
  await customer.importAssets([
    asset('workspace-suite-1', 'Business Plus', { purchased: 240, assigned: 182 }),
    asset('workspace-suite-2', 'Enterprise Standard', { purchased: 60, assigned: 60 }),
    asset('office-suite-1', 'Apps for Business', { purchased: 50, assigned: 10 }),
  ])
  await customer.importInvoices([
    invoice('IN-1', { invoiceDate: day(-60), dueDate: day(-30), totalAmount: '2480.00' }),
    invoice('IN-2', { invoiceDate: day(-20), dueDate: day(20), totalAmount: '80.00' }),
  ])
  people.admin = await customer.member('Ada Min', 'admin')
  people.it = await customer.member('Ida Tech', 'it-manager')
  people.finance = await customer.member('Fin Ance', 'finance-user')
  people.columns = await customer.member('Col Umn', 'admin')
})

const nav = (page: Page) => page.getByRole('navigation', { name: 'Main' })
const pinned = (page: Page, name: string) => nav(page).getByRole('link', { name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const headers = (page: Page) =>
  page
    .getByRole('table', { name: /^(Assets|Invoices), / })
    .getByRole('columnheader')
    .allTextContents()
    .then((texts) => texts.map((text) => text.replace(/[↑↓]/g, '').replace(/^(.+)\1$/, '$1')))

async function save(page: Page, name: string, more: (page: Page) => Promise<void> = async () => {}) {
  await page.getByRole('button', { name: /^Views/ }).click()
  await button(page, 'Save view…').click()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await more(page)
  await button(page, 'Save').click()
}

test('a view is saved with its filters and order, listed in the side bar, and marked as current', async ({
  page,
}) => {
  const pageErrors = complaints(page)
  await signIn(page, people.it, '/assets?filter=usage:idle&orderBy=idle%20desc')
  await waitForRows(page)
  await save(page, 'Idle plans')
  await expect(pinned(page, 'Idle plans')).toHaveAttribute('aria-current', 'page')
  await expect(nav(page).getByRole('link', { name: 'Assets' })).toHaveAttribute('aria-current', 'true')
  await expectGood(page)
  await nav(page).getByRole('link', { name: 'Assets' }).click()
  await expect(page).toHaveURL('/assets')
  await expect(pinned(page, 'Idle plans')).not.toHaveAttribute('aria-current')
  await pinned(page, 'Idle plans').click()
  await expect(page.getByRole('table', { name: 'Assets, most unassigned first' })).toBeVisible()
  await expect(page.getByText('2 assets match.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Views: Idle plans' })).toBeVisible()
  await page.reload()
  await expect(pinned(page, 'Idle plans')).toHaveAttribute('aria-current', 'page')
  // The same name in another case.
  await save(page, 'idle PLANS')
  await expect(
    page.getByRole('alert').or(page.getByText('called “idle PLANS” already')).first(),
  ).toBeVisible()
  await expectGood(page)
  await page.keyboard.press('Escape')
  expect(pageErrors).toEqual([])
})

test('a view is renamed, unpinned and removed, by keyboard only', async ({ page }) => {
  await signIn(page, people.finance, '/invoices?filter=status:PAST%20DUE')
  await waitForRows(page)
  await page.getByRole('button', { name: /^Views/ }).press('Enter')
  await button(page, 'Save view…').press('Enter')
  await page.getByLabel('Name', { exact: true }).fill('Late')
  await page.keyboard.press('Enter')
  await expect(pinned(page, 'Late')).toBeVisible()
  await nav(page).getByRole('button', { name: 'Change view Late' }).press('Enter')
  await expect(page.getByLabel('Name', { exact: true })).toBeFocused()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('Overdue')
  await page.keyboard.press('Enter')
  await expect(pinned(page, 'Overdue')).toBeVisible()
  await nav(page).getByRole('button', { name: 'Change view Overdue' }).press('Enter')
  await page.getByLabel('In the navigation').press('Space')
  await button(page, 'Save').press('Enter')
  await expect(pinned(page, 'Overdue')).toHaveCount(0)
  await page.getByRole('button', { name: 'Views: Overdue' }).press('Enter')
  await button(page, 'Change view Overdue').press('Enter')
  await button(page, 'Remove').press('Enter')
  await expect(page.getByText('Removed: Overdue')).toBeVisible()
  await expect(button(page, 'Views')).toBeVisible()
})

test('only an Admin shares a view with all members who may open its screen', async ({ page, browser }) => {
  await signIn(page, people.admin, '/assets?filter=usage:full')
  await waitForRows(page)
  await save(page, 'Full plans', () => page.getByLabel('For everyone at your company').check())
  await expect(pinned(page, 'Full plans')).toBeVisible()
  const other = await browser.newPage()
  await signIn(other, people.it, '/assets')
  await waitForRows(other)
  await expect(pinned(other, 'Full plans')).toBeVisible()
  await expect(other.getByRole('button', { name: 'Change view Full plans' })).toHaveCount(0)
  await other.getByRole('button', { name: /^Views/ }).click()
  await button(other, 'Save view…').click()
  await expect(other.getByLabel('In the navigation')).toBeVisible()
  await expect(other.getByLabel('For everyone at your company')).toHaveCount(0)
  await other.context().clearCookies()
  await signIn(other, people.finance, '/invoices')
  await waitForRows(other)
  await expect(nav(other).getByRole('link', { name: 'Invoices' })).toBeVisible()
  await expect(pinned(other, 'Full plans')).toHaveCount(0)
  await other.close()
})

test('a view that another tab has removed is reported, and disappears', async ({ page, context }) => {
  await signIn(page, people.admin, '/activity')
  await waitForRows(page)
  await save(page, 'Short-lived')
  await nav(page).getByRole('button', { name: 'Change view Short-lived' }).click()
  const tab = await context.newPage()
  await tab.goto('/activity')
  await nav(tab).getByRole('button', { name: 'Change view Short-lived' }).click()
  await button(tab, 'Remove').click()
  await expect(pinned(tab, 'Short-lived')).toHaveCount(0)
  await page.getByLabel('Name', { exact: true }).fill('Long-lived')
  await button(page, 'Save').click()
  await expect(page.getByText('Removed meanwhile: Short-lived')).toBeVisible()
  await expect(pinned(page, 'Short-lived')).toHaveCount(0)
})

test('views and columns fit a phone of 360 px', async ({ page }) => {
  await page.setViewportSize(PHONE)
  await signIn(page, people.admin, '/invoices?filter=status:OPEN')
  await waitForRows(page)
  await button(page, 'Filters').click()
  await save(page, 'Open ones with a name that is as long as a name can be at all')
  await page.getByRole('button', { name: /^Views: / }).click()
  await expectGood(page)
  await page.keyboard.press('Escape')
  await button(page, 'Columns').click()
  await expectGood(page)
  await page.keyboard.press('Escape')
  await openMenu(page)
  await expect(nav(page).getByRole('link', { name: /^Open ones/ })).toHaveAttribute('aria-current', 'page')
  await expectGood(page)
  await nav(page)
    .getByRole('button', { name: /^Change view Open ones/ })
    .click()
  await expectGood(page)
  await button(page, 'Remove').click()
  await expect(page.getByText(/^Removed: Open ones/)).toBeVisible()
})

test('columns are hidden and ordered by keyboard, stored per member, and part of the first render', async ({
  page,
}) => {
  const pageErrors = complaints(page)
  await signIn(page, people.columns, '/assets')
  await waitForRows(page)
  await expect.poll(() => headers(page)).toEqual(['Asset', 'Type', 'Plan, renewal', 'Usage', 'Licenses'])
  await button(page, 'Columns').press('Enter')
  await expect(page.getByLabel('Asset', { exact: true })).toBeDisabled()
  await page.getByLabel('Type', { exact: true }).press('Space')
  await page.getByLabel('Created', { exact: true }).press('Space')
  const up = button(page, 'Move Licenses up')
  await up.press('Enter')
  await up.press('Enter')
  await expect(up).toBeFocused()
  const down = button(page, 'Move Plan down')
  await down.press('Enter')
  await expect(down).toBeFocused()
  const chosen = ['Asset', 'Licenses', 'Plan', 'Usage', 'Created']
  await expect
    .poll(() => headers(page).then((names) => names.map((name) => name.split(',')[0])))
    .toEqual(chosen)
  await expectGood(page)
  await expect
    .poll(async () => (await (await page.request.get('/billing/v1/list-columns')).json()).lists[0].columns)
    .toEqual(['name', 'licenses', 'plan', 'usage', 'created'])
  // Rendered by the server, without a layout shift.
  const html = await (await page.request.get('/assets')).text()
  const firstPaint = await page.evaluate(
    (text) =>
      [...new DOMParser().parseFromString(text, 'text/html').querySelectorAll('th[scope=col]')].map(
        ({ textContent }) => textContent?.slice(0, 4),
      ),
    html,
  )
  expect(firstPaint).toEqual(chosen.map((name) => name.slice(0, 4)))
  await page.reload()
  await waitForRows(page)
  await expect.poll(async () => (await headers(page)).map((name) => name.split(',')[0])).toEqual(chosen)
  await button(page, 'One more: Licenses of Business Plus').click()
  await expect(page.getByText('Business Plus: 240 → 241 licenses')).toBeVisible()
  await page.keyboard.press('Escape')
  await button(page, 'Columns').click()
  await button(page, 'Usual columns').click()
  await expect.poll(() => headers(page)).toEqual(['Asset', 'Type', 'Plan, renewal', 'Usage', 'Licenses'])
  await page.goto('/invoices')
  await waitForRows(page)
  await button(page, 'Columns').click()
  await page.getByLabel('Platform', { exact: true }).uncheck()
  await button(page, 'Move Balance up').click()
  await expect.poll(() => headers(page)).toEqual(['Invoice', 'Date', 'Due', 'Status', 'Balance', 'Total'])
  await expectGood(page)
  expect(pageErrors).toEqual([])
})

test('a choice of columns that could not be saved is rolled back with a message', async ({ page }) => {
  await signIn(page, people.it, '/assets')
  await waitForRows(page)
  await page.route('**/billing/v1/list-columns', (route) => route.abort())
  await button(page, 'Columns').click()
  // It may be rolled back before the change is visible.
  await page.getByLabel('Type', { exact: true }).click()
  await expect(page.getByText(/^Columns not changed/)).toBeVisible()
  await expect(page.getByLabel('Type', { exact: true })).toBeChecked()
  await expect.poll(() => headers(page)).toContain('Type')
})
