import { readFileSync } from 'node:fs'
import { expect, type Page } from '@playwright/test'
import { unzip } from '#lib/platform/files/test-zip.ts'
import { invoice, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, PHONE, signIn } from '../browser.ts'
import { test } from '../reused-page.ts'

let finance = ''

test.beforeAll(async () => {
  const customer = await newCustomer('tickedinvoices')
  await customer.importInvoices([
    ...Array.from({ length: 60 }, (_, index) =>
      invoice(`IN-${100 + index}`, { platform: index < 3 ? 'web-services' : 'cloud-platform' }),
    ),
    ...Array.from({ length: 450 }, (_, index) =>
      invoice(`OLD-${100 + index}`, { invoiceDate: '2024-09-30', dueDate: '2024-10-30', balanceAmount: '0' }),
    ),
    invoice('PER-LINE', {
      totalAmount: '30',
      lines: [
        { description: 'Ten licenses', price: '10', qty: '10' },
        { description: 'Two licenses', price: '20', qty: '2' },
      ],
    }),
  ])
  finance = await customer.member('Jonas Weber', 'finance-user')
})

/** Returns the file names in the archive behind a link. */
async function download(page: Page, name: string): Promise<string[]> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name, exact: true }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/^invoices-\d{4}-\d\d-\d\d\.zip$/)
  return unzip(readFileSync(await file.path())).map((entry) => entry.name)
}

test('selected invoices of several pages are downloaded as one archive, by keyboard too', async ({
  page,
}) => {
  const pageErrors = complaints(page)
  await signIn(page, finance, '/invoices?search=IN-')
  const bar = page.getByRole('region', { name: 'Selected invoices' })
  await expect(bar).toBeHidden()
  await page.getByRole('checkbox', { name: 'Select IN-159' }).check()
  await expect(bar.getByRole('status')).toHaveText('1 invoice selected')
  await page.getByRole('checkbox', { name: 'Select IN-158' }).focus()
  await page.keyboard.press('Space')
  await page.getByRole('link', { name: 'Older' }).click()
  await page.getByRole('checkbox', { name: 'Select IN-100' }).check()
  await expect(bar.getByRole('status')).toHaveText('3 invoices selected')
  await expectGood(page)
  expect((await download(page, 'Download 3 PDFs')).sort()).toEqual(['IN-100.pdf', 'IN-158.pdf', 'IN-159.pdf'])
  await bar.getByRole('button', { name: 'Select all on this page' }).click()
  await expect(bar.getByRole('status')).toHaveText('12 invoices selected')
  await expect(bar.getByRole('button', { name: 'Select all on this page' })).toBeHidden()
  await bar.getByRole('button', { name: 'Clear' }).click()
  await expect(bar).toBeHidden()
  expect(pageErrors).toEqual([])
})

test('all filtered invoices are downloaded as one archive, up to a limit', async ({ page }) => {
  await signIn(page, finance, '/invoices?filter=platform:web-services')
  await page.getByRole('button', { name: 'Export' }).click()
  expect(await download(page, 'All 3 PDFs (ZIP)')).toEqual(['IN-102.pdf', 'IN-101.pdf', 'IN-100.pdf'])
  await page.goto('/invoices')
  await page.getByRole('button', { name: 'Export' }).click()
  await expect(page.getByText('511 PDFs are too many for one ZIP, which holds up to 500.')).toBeVisible()
  await expectGood(page)
})

test('invoices can be selected on a phone, and the bar covers nothing permanently', async ({ page }) => {
  await page.setViewportSize(PHONE)
  await signIn(page, finance, '/invoices?filter=platform:web-services')
  await page.getByRole('checkbox', { name: 'Select IN-100' }).check()
  await expect(page.getByRole('link', { name: 'Download PDF', exact: true })).toBeVisible()
  await expectGood(page)
})

test('prices that add up only per line are marked', async ({ page }) => {
  await signIn(page, finance, '/invoices/PER-LINE')
  await expect(page.getByRole('columnheader', { name: 'Price per line' })).toBeVisible()
  await expect(page.getByText('Not itemized')).toBeHidden()
  await expectGood(page)
})
