import { expect, type Page } from '@playwright/test'
import { asset, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, PHONE, signIn } from '../browser.ts'
import { test } from '../reused-page.ts'

// Orders for the next term of a commitment plan, from its row and on its page.

const PLAN = { purchased: 120, assigned: 90, commitmentEnd: '2098-12-03T00:00:00Z' }
let ana = ''
test.beforeAll(async () => {
  const customer = await newCustomer('orders')
  await customer.importAssets([
    asset('workspace-suite-1', 'Business Plus', PLAN),
    asset('workspace-suite-2', 'Enterprise Standard', PLAN),
    asset('workspace-suite-3', 'Vault', { purchased: 10 }),
  ])
  ana = await customer.member('Ana Ruiz', 'it-manager')
})

const total = (page: Page, name: string) => page.getByRole('spinbutton', { name: `Licenses of ${name}` })

test('a lower total is ordered from the row, in two clicks and typing, and the row shows it', async ({
  page,
}) => {
  const pageErrors = complaints(page)
  await signIn(page, ana, '/assets')
  await total(page, 'Business Plus').fill('96')
  await expect(page.getByText('can’t go below 120 licenses before 3 Dec 2098')).toBeVisible()
  await expectGood(page)
  // Enter moves the focus to the action, and presses it.
  await total(page, 'Business Plus').press('Enter')
  await expect(page.getByRole('button', { name: 'Renew with 96 licenses on 3 Dec 2098' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Ordered: 96 licenses from 3 Dec 2098.')).toBeVisible()
  await expect(total(page, 'Business Plus')).toHaveValue('120')
  await expect(page.getByText('96 from 3 Dec 2098')).toBeVisible()
  await expectGood(page)
  expect(pageErrors).toEqual([])
})

test('an order is placed, changed and withdrawn on the page; on a phone in the dark too', async ({
  page,
}) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize(PHONE)
  await signIn(page, ana, '/assets/workspace-suite-2')
  const card = page.getByRole('region', { name: 'At renewal' })
  await page.getByRole('button', { name: 'Lower at renewal' }).click()
  const field = page.getByRole('textbox', { name: 'Licenses after renewal' })
  await expect(field).toBeFocused()
  await field.fill('80')
  await expect(page.getByText('90 are assigned: take the licenses of 10 users away before.')).toBeVisible()
  await expectGood(page)
  await field.fill('lots')
  await expect(page.getByRole('button', { name: /^Order/ })).toBeDisabled()
  await field.fill('95')
  await page.getByRole('button', { name: 'Renew with 95 licenses on 3 Dec 2098' }).click()
  await expect(card.getByText('95 licenses from 3 Dec 2098')).toBeVisible()
  await expect(card.getByText(/^Ordered by Ana Ruiz on /)).toBeVisible()
  await expectGood(page)
  await page.getByRole('button', { name: 'Change the order' }).click()
  await field.fill('100')
  await page.getByRole('button', { name: 'Renew with 100 licenses on 3 Dec 2098' }).click()
  await expect(card.getByText('100 licenses from 3 Dec 2098')).toBeVisible()
  await card.getByRole('button', { name: 'Withdraw' }).click()
  await expect(page.getByText('The order for the next term is withdrawn.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Lower at renewal' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('button', { name: 'Lower at renewal' })).toBeVisible()
})

test('a flexible plan has nothing to order', async ({ page }) => {
  await signIn(page, ana, '/assets/workspace-suite-3')
  await expect(page.getByRole('heading', { name: 'Vault' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'At renewal' })).toHaveCount(0)
})
