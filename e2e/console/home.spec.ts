import { expect, type Page } from '@playwright/test'
import { asset, invoice, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, openMenu, PHONE, signIn, signInByForm } from '../browser.ts'
import { day } from '../days.ts'
import { test } from '../reused-page.ts'

let customer: Awaited<ReturnType<typeof newCustomer>>
const people = { admin: '', it: '', finance: '' }

test.beforeAll(async () => {
  customer = await newCustomer('home')
  await customer.profile('emea', 'Home Europe with a rather long name GmbH & Co. KG')
  await customer.importAssets([
    asset('workspace-suite-1', 'Business Plus', { purchased: 240, assigned: 182 }),
    asset('office-suite-2', 'Office E3', {
      purchased: 60,
      assigned: 50,
      commitmentEnd: `${day(30)}T00:00:00Z`,
    }),
    asset('workspace-suite-3', 'Frontline Starter', { purchased: 100, assigned: 98 }),
  ])
  await customer.addSamples([
    ['workspace-suite-1', 120, 240, 170],
    ['workspace-suite-3', 120, 100, 50],
  ])
  const billed = { platform: 'workspace-suite', invoiceDate: day(-20), dueDate: day(20), balanceAmount: '0' }
  await customer.importInvoices([
    invoice('IN-LATE', { invoiceDate: day(-60), dueDate: day(-30), totalAmount: '2480.00' }),
    invoice('RE-LATE', {
      ...{ billingProfileId: 'emea', currency: 'EUR', totalAmount: '80.00' },
      ...{ invoiceDate: day(-50), dueDate: day(-10) },
    }),
    invoice('IN-SEATS', {
      ...billed,
      totalAmount: '4500.00',
      lines: [{ description: 'Business Plus', price: '18', qty: '250' }],
    }),
  ])
  people.admin = await customer.member('Ada Min', 'admin')
  people.it = await customer.member('Ida Tech', 'it-manager')
  people.finance = await customer.member('Fin Ance', 'finance-user')
})

const count = (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Home/ })
const line = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text })
const button = (page: Page, name: RegExp) => page.getByRole('button', { name })

test('the sign-in leads to the lines that need an Admin, and each line to its task', async ({ page }) => {
  const pageErrors = complaints(page)
  await signInByForm(page, people.admin)
  await expect(page).toHaveURL(/\/$/)
  await expect(page).toHaveTitle(/^Home/)
  await expect(page.getByRole('heading', { level: 2 })).toHaveText([
    'Past due',
    'Renewals in the next 90 days',
    'Unused licenses you can remove now',
    'Nearly full',
    'Billed differently than expected',
  ])
  await expect(count(page)).toHaveText('Home6 items need attention')
  await expect(line(page, 'home Ltd')).toContainText('2,480.00 USD')
  await expect(line(page, 'Home Europe')).toContainText('80.00 EUR')
  await expect(line(page, 'Office E3')).toContainText('10 unassigned')
  await expect(line(page, '58 of 240 licenses unused')).toContainText('1,044.00 USD a month')
  await expect(line(page, 'Frontline Starter')).toContainText('2 free')
  await expect(line(page, 'IN-SEATS')).toContainText('180.00 USD')
  await expectGood(page)
  await page.getByRole('link', { name: 'Lower to 182: Business Plus' }).click()
  await expect(page).toHaveURL(/\/assets\/workspace-suite-1\?set=182$/)
  await expect(button(page, /Set to 182 licenses/)).toBeVisible()
  await page.goBack()
  await page.getByRole('link', { name: 'Show the invoice: home Ltd' }).click()
  await expect(page.getByRole('table', { name: 'Invoices' }).getByRole('row')).toHaveCount(2)
  await expect(page.getByRole('link', { name: 'IN-LATE' })).toBeVisible()
  expect(pageErrors).toEqual([])
})

test('a line is dismissed and restored by keyboard only, and stays dismissed over a visit', async ({
  page,
}) => {
  const pageErrors = complaints(page)
  await signIn(page, people.it)
  await expect(count(page)).toHaveText('Home3 items need attention')
  const dismiss = button(page, /^Dismiss: Frontline Starter/)
  await dismiss.focus()
  await page.keyboard.press('Enter')
  const undo = button(page, /^Undo: Frontline Starter/)
  await expect(undo).toBeFocused()
  await expect(count(page)).toHaveText('Home2 items need attention')
  await expectGood(page)
  await page.keyboard.press('Enter')
  await expect(dismiss).toBeFocused()
  await expect(count(page)).toHaveText('Home3 items need attention')
  await page.keyboard.press('Enter')
  await expect(undo).toBeFocused()
  await page.reload()
  await expect(count(page)).toHaveText('Home2 items need attention')
  await expect(page.getByRole('heading', { name: 'Nearly full' })).toHaveCount(0)
  await page.getByText('Dismissed until they change: 1').click()
  await expectGood(page)
  await button(page, /^Bring back: Frontline Starter/).click()
  await expect(dismiss).toBeFocused()
  await expect(count(page)).toHaveText('Home3 items need attention')
  expect(pageErrors).toEqual([])
})

test('each line fits on a phone, light and dark', async ({ page }) => {
  await page.setViewportSize(PHONE)
  await signIn(page, people.admin)
  await expect(line(page, 'Home Europe')).toBeVisible()
  await expectGood(page)
  await openMenu(page)
  await expect(count(page)).toHaveText('Home6 items need attention')
})

test('Finance Users see their invoices, IT Managers prices while an Admin shows them', async ({
  page,
  browser,
  baseURL,
}) => {
  const it = await browser.newPage({ baseURL: baseURL ?? '' })
  await signIn(it, people.it)
  await expect(line(it, '58 of 240 licenses unused')).toContainText('1,044.00 USD a month')
  await it.goto('/assets')
  await expect(it.getByRole('row', { name: /Business Plus/ })).toContainText('58 unused: 1,044.00 USD/mo')
  await expectGood(it)
  await it.goto('/assets/workspace-suite-1')
  const idle = it.getByRole('region', { name: 'Unused licenses' })
  await expect(idle).toContainText(
    '58 unused for 60 days or more, 1,044.00 USD a month at the last price. You can lower this plan now.',
  )
  await expectGood(it)
  await idle.getByRole('button', { name: 'Lower to 182' }).click()
  await expect(
    it.getByText(/About 1,044\.00 USD less per billing period, at the price last billed \(\d/),
  ).toBeVisible()
  await button(it, /^Discard/).click()
  await it.goto('/assets/office-suite-2')
  await expect(idle).toContainText(/This plan can’t be lowered before \d/)

  await signIn(page, people.admin, '/members')
  const priceSwitch = page.getByRole('switch', { name: 'Show prices to IT Managers' })
  await expect(priceSwitch).toBeChecked()
  await priceSwitch.click()
  await expect(page.getByText('IT Managers see no prices')).toBeVisible()
  await expectGood(page)
  await it.goto('/assets/workspace-suite-1')
  await expect(idle).toContainText('58 unused for 60 days or more. You can lower this plan now.')
  for (const path of ['/', '/assets']) {
    await it.goto(path)
    await expect(it.getByText('Business Plus').first()).toBeVisible()
    await expect(it.getByText(/USD/)).toHaveCount(0)
  }
  await page.goto('/')
  await expect(line(page, '58 of 240 licenses unused')).toContainText('1,044.00 USD a month')
  await page.context().clearCookies()
  await signIn(page, people.finance)
  await expect(page.getByRole('heading', { level: 2 })).toHaveText([
    'Past due',
    'Billed differently than expected',
  ])
  await it.close()
})

test('a member without open lines sees the checked kinds', async ({ page }) => {
  const quiet = await newCustomer('quiet')
  await signIn(page, await quiet.member('Qui Et', 'admin'))
  await expect(page.getByText('Nothing needs attention')).toBeVisible()
  await expect(page.getByText('invoices that are past due')).toBeVisible()
  await expect(count(page)).toHaveText('Home')
  await expectGood(page)
})
