import { expect } from '@playwright/test'
import { asset, invoice, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { giveSession, pressEnter, signIn } from '../browser.ts'
import { test } from '../reused-page.ts'

let customer: Awaited<ReturnType<typeof newCustomer>>
const people = { finance: '', it: '', admin: '' }
const LINE = { description: 'Business Plus', price: '12.5', qty: '40', type: 'workspace-suite' }
const POSTING_DETAILS = {
  ...{ typeCode: '380', purchaseOrder: 'PO-7', paymentTerms: '14 days net', totalAmount: '595' },
  ...{ balanceAmount: '595', platform: 'workspace-suite', currency: 'EUR' },
  taxBreakdown: [{ taxCategory: 'S', taxRate: '19', taxableAmount: '500.00', taxAmount: '95.02' }],
  ...{ netAmount: '500', taxAmount: '95' },
  lines: [
    {
      ...LINE,
      ...{ netAmount: '500', taxCategory: 'S', taxRate: '19', taxAmount: '95', subAccount: 'berlin' },
      ...{ periodStart: '2026-09-01', periodEnd: '2026-10-01', unit: 'MON' },
    },
  ],
}

test.beforeAll(async () => {
  customer = await newCustomer('posting')
  const plan = asset('workspace-suite-2', 'Business Starter', { purchased: 40 })
  await customer.importAssets([
    asset('workspace-suite-1', 'Business Plus'),
    { ...plan, subscription: { ...plan.subscription, purchaseOrderId: 'PO-17' } },
  ])
  await customer.importInvoices([
    invoice('PLAIN', { totalAmount: '10' }),
    invoice('TAXED', { ...POSTING_DETAILS, issuer: { name: 'Fernhill', country: 'DE' } }),
  ])
  people.finance = await customer.member('Fin Clerk', 'finance-user')
  people.it = await customer.member('Ida Tech', 'it-manager')
  people.admin = await customer.member('Ada Admin', 'admin')
})

test('an invoice shows its tax, its posting details, and where its tax does not add up', async ({ page }) => {
  await signIn(page, people.finance, '/invoices/TAXED')
  const tax = page.getByRole('table', { name: 'Tax' })
  await expect(tax.getByRole('row').nth(1)).toHaveText(/Standard rate\s*19 %\s*500\.00\s*95\.02/)
  for (const [label, value] of [
    ['Purchase order', 'PO-7'],
    ['Due', '14 days net'],
    ['Document type', 'Commercial invoice'],
  ] as const)
    await expect(page.locator('dt', { hasText: label }).locator('xpath=../dd').first()).toContainText(value)
  await expect(page.getByText('Germany')).toBeVisible()
  // Rows of details are aligned in the same columns.
  const columns = await page
    .locator('main dl', { hasText: /^Invoice date|^Issuer/ })
    .locator('dt')
    .evaluateAll((all) => new Set(all.map((one) => Math.round(one.getBoundingClientRect().left))).size)
  expect(columns).toBeLessThanOrEqual(4)
  await expect(page.getByText('Sub-account berlin')).toContainText('1 Sep 2026 – 30 Sep 2026')
  await expect(page.getByText(/add up to the total/)).toBeHidden()
  // Codes are for accounting programs: in a part that opens.
  const codes = page.locator('details', { hasText: 'Codes for accounting programs' })
  await expect(codes.getByText('UN/ECE 20')).toBeHidden()
  await codes.locator('summary').click()
  await expect(codes.locator('dl > div')).toHaveText([
    'Commercial invoice380UNTDID 1001',
    'Standard rateSUNTDID 5305',
    'Unit: monthsMONUN/ECE 20',
  ])
  await expect(page.getByText('the tax of the breakdown is 0.02 EUR above the tax amount')).toBeVisible()
  await expectGood(page)
})

test('an invoice without posting details looks as before', async ({ page }) => {
  await signIn(page, people.finance, '/invoices/PLAIN')
  await expect(page.getByRole('table', { name: 'Line items' })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Tax' })).toHaveCount(0)
  for (const label of ['Purchase order', 'Document type', 'Net'])
    await expect(page.locator('dt', { hasText: label })).toHaveCount(0)
})

test('a search finds any part of a purchase order, and its field names it', async ({ page }) => {
  await signIn(page, people.finance, '/invoices?search=o-7')
  await expect(page.getByLabel('Number, order or issuer')).toHaveValue('o-7')
  await expect(page.getByRole('link', { name: 'TAXED' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'PLAIN' })).toHaveCount(0)
})

test('details set for a billing profile appear on its next invoice, by keyboard only', async ({ page }) => {
  await signIn(page, people.finance, '/invoices/profiles')
  await expectGood(page)
  await pressEnter(page.getByRole('button', { name: 'Edit' }))
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Purchase order').fill('PO-9')
  await dialog.getByLabel('Cost center').fill('4711')
  await expectGood(page)
  await page.keyboard.press('Enter')
  await expect(page.getByText('Saved. The next invoices carry it.')).toBeVisible()
  await expect(page.locator('dt', { hasText: 'Cost center' }).locator('xpath=../dd')).toHaveText('4711')
  await customer.importInvoices([invoice('NEXT', { totalAmount: '10' })])
  await page.goto('/invoices/NEXT')
  const link = page.getByRole('link', { name: 'from your accounting details' })
  await expect(page.locator('dd', { has: link })).toContainText(['PO-9', '4711'])
  await expectGood(page)
})

test('a Posting Editor sets the details of an asset’s lines on its page', async ({ page }) => {
  await signIn(page, people.it, '/assets/workspace-suite-1')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByText('Accounting details')).toHaveCount(0)
  await signIn(page, people.admin, '/assets/workspace-suite-1')
  await page.getByRole('button', { name: 'Edit accounting details' }).click()
  await page.getByRole('dialog').getByLabel('Cost center').fill('6120')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('6120')).toBeVisible()
  await expectGood(page)
})

test('the vendor’s purchase order of an asset has its own name, and is shown while it differs', async ({
  page,
}) => {
  const ddOf = (label: RegExp) => page.locator('dt', { hasText: label }).locator('xpath=../dd')
  await signIn(page, people.it, '/assets/workspace-suite-2')
  await expect(ddOf(/^Vendor’s purchase order$/)).toHaveText('PO-17')
  await signIn(page, people.admin, '/assets/workspace-suite-2')
  await expect(ddOf(/^Purchase order$/)).toHaveText('–')
  await page.getByRole('button', { name: 'Edit accounting details' }).click()
  await page.getByRole('dialog').getByLabel('Purchase order').fill('PO-17')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(ddOf(/^Purchase order$/)).toHaveText('PO-17')
  await expect(ddOf(/^Vendor’s purchase order$/)).toHaveCount(0)
})

test('a member without Posting Editor has no link to the posting details, and sees the role there', async ({
  page,
}) => {
  const links = page.locator('a[href^="/invoices/profiles"]')
  await giveSession(page.context(), people.it)
  for (const address of [
    '/assets/workspace-suite-1',
    '/assets',
    '/invoices',
    '/invoices/explain',
    '/invoices/TAXED',
  ]) {
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(links).toHaveCount(0)
  }
  await page.goto('/invoices/profiles')
  await expect(page.getByText('This page needs the role Finance User or Admin.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Edit' })).toHaveCount(0)
  await expectGood(page)
  // A Posting Editor does find them.
  await signIn(page, people.finance, '/invoices/TAXED')
  await expect(links.first()).toBeVisible()
})
