import { expect, type Page } from '@playwright/test'
import { asset, invoice, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { PHONE, signIn } from '../browser.ts'
import { test } from '../reused-page.ts'

let admin: string
let clerk: string
test.beforeAll(async () => {
  const customer = await newCustomer('finder')
  await customer.importAssets([
    asset('workspace-suite-1', 'Business Plus', { purchased: 240 }),
    asset('office-suite-1', 'Office 365', { purchased: 7 }),
    ...Array.from({ length: 4 }, (_, n) => asset(`cloud-platform-${n}`, `Project ${n}`)),
  ])
  await customer.importInvoices([invoice('IN-2036'), invoice('IN-2037')])
  admin = await customer.member('Ada Finder', 'admin')
  clerk = await customer.member('Carl Finder', 'finance-user')
})

const box = (page: Page) => page.getByRole('combobox', { name: 'Search assets' })
const options = (page: Page) => page.getByRole('option')

/** Opens the palette: presses until it reacts, which is after hydration. */
async function open(page: Page): Promise<void> {
  await expect(async () => {
    if (!(await box(page).isVisible())) await page.keyboard.press('Control+k')
    await expect(box(page)).toBeFocused({ timeout: 1000 })
  }).toPass()
}

test('the palette opens an invoice, a screen and the review of a change with a few keys', async ({
  page,
}) => {
  await signIn(page, admin, '/assets')
  await open(page)
  await page.keyboard.type('in-2036')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/invoices/IN-2036')

  await open(page)
  await page.keyboard.type('past due')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/invoices?filter=status:PAST%20DUE')

  await open(page)
  await page.keyboard.type('business plus 245')
  await expect(options(page).first()).toHaveText(/Business Plus: 240 → 245/)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/assets/workspace-suite-1?set=245')
  await expect(page.getByRole('button', { name: 'Set to 245 licenses' })).toBeVisible()
  await expect(page.getByRole('spinbutton')).toHaveValue('245')
})

test('an asset whose name ends with a number is also found by its name', async ({ page }) => {
  await signIn(page, admin, '/assets')
  await open(page)
  await page.keyboard.type('office 365')
  await expect(options(page)).toHaveText([/Office 365: 7 → 365/, /^Office 365.*7 licenses/])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/assets/office-suite-1')
})

test('a Finance User finds no assets', async ({ page }) => {
  await signIn(page, clerk, '/invoices')
  await open(page)
  await page.keyboard.type('business plus 245')
  await expect(page.getByRole('status').filter({ hasText: 'No results for' })).toBeVisible()
  await expect(options(page)).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(box(page)).toHaveCount(0)
})

test('single-letter shortcuts open screens and move through rows, until they are turned off', async ({
  page,
}) => {
  await signIn(page, admin, '/invoices')
  await expect(page.getByRole('link', { name: 'IN-2037' })).toBeVisible()
  await expect(async () => {
    await page.keyboard.press('j')
    await expect(page.locator('tbody a:focus')).toHaveCount(1, { timeout: 1000 })
  }).toPass()
  await page.keyboard.press('k')
  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await expect(page).toHaveURL('/assets')
  await page.keyboard.press('?')
  const list = page.getByRole('dialog', { name: 'Keys' })
  await expectGood(page)
  await list.getByRole('switch', { name: 'Keys of one letter' }).press('Space')
  await page.keyboard.press('Escape')
  await expect(list).toHaveCount(0)
  await page.keyboard.press('?')
  await open(page)
  await expect(list).toHaveCount(0)
})

test('the palette opens by its button on a phone, and fits', async ({ page }) => {
  await page.setViewportSize(PHONE)
  await page.emulateMedia({ colorScheme: 'dark' })
  await signIn(page, admin, '/assets')
  await expect(async () => {
    if (!(await box(page).isVisible())) await page.getByRole('button', { name: 'Search' }).click()
    await expect(box(page)).toBeFocused({ timeout: 1000 })
  }).toPass()
  await box(page).fill('pro')
  await expect(options(page).filter({ hasText: 'Project' })).toHaveCount(4)
  await expectGood(page)
  await options(page).filter({ hasText: 'Project 2' }).click()
  await expect(page).toHaveURL('/assets/cloud-platform-2')
})

test('keys that are typed before the palette has loaded are kept', async ({ page }) => {
  await signIn(page, admin, '/assets')
  // The list of shortcuts shows that keys are handled by now, and its script has loaded.
  const shortcuts = page.getByRole('dialog')
  await expect(async () => {
    if (!(await shortcuts.isVisible())) await page.keyboard.press('?')
    await expect(shortcuts).toBeVisible({ timeout: 1000 })
  }).toPass()
  await page.keyboard.press('Escape')
  await expect(shortcuts).toBeHidden()
  const loaded = Promise.withResolvers<void>()
  await page.route('**/_next/static/chunks/**', async (route) => {
    await loaded.promise
    await route.continue()
  })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('business plus 2456')
  await page.keyboard.press('Backspace')
  loaded.resolve()
  await expect(box(page)).toHaveValue('business plus 245')
  await expect(options(page).first()).toHaveText(/Business Plus: 240 → 245/)
})
