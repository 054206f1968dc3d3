import { expect } from '@playwright/test'
import { asset, invoice, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, giveSession, PHONE, signIn } from '../browser.ts'
import { test } from '../reused-page.ts'

const member = { it: '', finance: '' }
let close: () => Promise<string>

test.beforeAll(async () => {
  const customer = await newCustomer('closed')
  await customer.importAssets([
    asset('workspace-suite-1', 'Business Plus', { purchased: 240, assigned: 182 }),
  ])
  await customer.importInvoices([invoice('C-1')])
  member.it = await customer.member('Ida Tech', 'it-manager')
  member.finance = await customer.member('Fin Ance', 'finance-user')
  close = customer.close
})

const note = 'The customer is closed'

test('a member of a closed customer can still read, and sees why nothing can be changed', async ({
  page,
}) => {
  const pageErrors = complaints(page)
  await signIn(page, member.it, '/assets')
  const field = page.getByRole('spinbutton', { name: 'Licenses of Business Plus' })
  await expect(page.getByRole('complementary', { name: note })).toHaveCount(0)
  await close()
  await field.fill('241')
  await page.keyboard.press('Enter')
  const closedNote = page.getByText(/is closed since \d{4}-\d\d-\d\d\. Everything can be read until/).first()
  // A press right after a late review is ignored as unintended.
  await expect(async () => {
    await page.getByRole('button', { name: /^Set/ }).press('Enter')
    await expect(closedNote).toBeVisible({ timeout: 5000 })
  }).toPass()
  // The refusal is logged by the browser, but is not an error of the page.
  expect(pageErrors.filter((text) => !text.includes('403'))).toEqual([])
})

test('each screen shows until when it can be read', async ({ page }) => {
  const pageErrors = complaints(page)
  await giveSession(page.context(), member.finance)
  for (const path of ['/', '/invoices', '/sessions']) {
    await page.goto(path)
    const sidebarNote = page.getByRole('complementary', { name: note })
    await expect(sidebarNote).toContainText(
      /^closed Ltd is closed\. Everything can be read and exported until \d+ \w+ \d{4}/,
    )
    await expectGood(page)
  }
  await page.setViewportSize(PHONE)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto('/invoices')
  await expectGood(page)
  const download = await page.request.get('/billing/v1/invoices.csv')
  expect(download.status()).toBe(200)
  expect(pageErrors).toEqual([])
})
