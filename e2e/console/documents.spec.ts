import { expect, type Page } from '@playwright/test'
import { newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { addFilter, complaints, PHONE, signIn } from '../browser.ts'
import { day, dayLabel } from '../days.ts'
import { test } from '../reused-page.ts'

let customer: Awaited<ReturnType<typeof newCustomer>>
let finance = ''
let key = ''

const DATES = { invoiceDate: day(-20), dueDate: day(10) }
const OCTOBER = { billingAccount: '0925-1183', periodStart: '2026-10-01', periodEnd: '2026-11-01' }

test.beforeAll(async () => {
  customer = await newCustomer('documents')
  const add = (id: string, row: object, price = '10'): [string, object, object[]] => [
    id,
    { ...DATES, issuer: 'Fernhill Cloud, Inc.', ...row },
    [{ description: 'Object storage', price }],
  ]
  await customer.addDocuments([
    add('IN-7~2', { ...OCTOBER, number: 'IN-7', totalAmount: '90', balanceAmount: '90' }, '90'),
    add(
      'IN-7',
      { totalAmount: '100', balanceAmount: '0', documentState: 'voided', replacedBy: 'IN-7~2' },
      '100',
    ),
    add('CN-8', { totalAmount: '-40', balanceAmount: '-40', corrects: 'IN-7' }, '-40'),
    add('IN-PAID', { totalAmount: '12', balanceAmount: '0' }, '12'),
    add(
      'norrland:IN-PAID',
      { number: 'IN-PAID', issuer: 'Norrland Hosting AB', totalAmount: '3', balanceAmount: '3' },
      '3',
    ),
    add('2026-11-12ab34cd', {
      documentState: 'draft',
      form: 'summary',
      billingAccount: '0925-1183',
      periodStart: '2026-11-01',
      periodEnd: '2026-12-01',
      invoiceDate: day(5),
      dueDate: day(35),
      totalAmount: '812.4',
      balanceAmount: '0',
    }),
  ])
  finance = await customer.member('Fin Clerk', 'finance-user')
  key = await customer.key('finance-user')
})

const rows = (page: Page) => page.getByRole('table', { name: /^Invoices/ }).getByRole('row')
const rowOf = (page: Page, text: string) => rows(page).filter({ hasText: text })
const details = async (page: Page) =>
  Object.fromEntries(
    await page
      .locator('dl:not(table ~ dl)')
      .locator('div')
      .evaluateAll((all) =>
        // No line break within a period's dates.
        all.map((one) =>
          ['dt', 'dd'].map((part) => one.querySelector(part)?.textContent.replaceAll('\u00a0', ' ')),
        ),
      ),
  )

test('the list has issued invoices, and shows the issuer of duplicate numbers', async ({ page }) => {
  const pageErrors = complaints(page)
  await signIn(page, finance, '/invoices')
  await expect(page.getByText('4 invoices · total 65.00 USD')).toHaveCount(1)
  await expect(page.getByRole('status').filter({ hasText: '4 invoices' })).toContainText('balance 53.00 USD')
  // All of it is set off against the invoice that it corrects.
  await expect(rowOf(page, 'CN-8')).toContainText('Settled')
  await expect(rowOf(page, 'Fernhill Cloud, Inc.').filter({ hasText: 'IN-7' })).toContainText('50.00')
  await expect(rowOf(page, 'CN-8')).not.toContainText('Paid')
  await expect(rowOf(page, 'IN-7')).toContainText('Fernhill Cloud, Inc.')
  await expect(rowOf(page, 'Norrland Hosting AB').getByRole('link')).toHaveText('IN-PAID')
  await expect(rowOf(page, '12.00').getByRole('checkbox')).toHaveAccessibleName(
    'Select IN-PAID of Fernhill Cloud, Inc.',
  )
  await expect(page.getByText('812.40')).toHaveCount(0)
  await expectGood(page)
  expect(pageErrors).toEqual([])
})

test('drafts and voided invoices can be selected, and have no sums of amounts due', async ({ page }) => {
  await signIn(page, finance, '/invoices?filter=status:PAID')
  await addFilter(page, 'Documents')
  await page.getByRole('link', { name: 'Drafts' }).click()
  await expect(page).toHaveURL(/\/invoices\?filter=state:draft$/)
  await expect(page.getByText('Nothing of these is owed.')).toBeVisible()
  await expect(rows(page)).toHaveCount(2)
  await expect(rowOf(page, '2026-11-12ab34cd')).toContainText('Draft, not owed')
  await expect(page.getByRole('status').filter({ hasText: '1 invoice' })).toHaveText(
    '1 invoice · total 812.40 USD',
  )
  await expect(page.getByRole('button', { name: 'Figures', exact: true })).toHaveCount(0)
  for (const label of ['Figures', 'Status'])
    await expect(
      page.getByRole('region', { name: label }).or(page.getByRole('group', { name: label })),
    ).toHaveCount(0)
  await expectGood(page)
  await page.getByRole('button', { name: 'Documents: Drafts' }).click()
  await page.getByRole('link', { name: 'Voided' }).click()
  await expect(page).toHaveURL(/filter=state:voided$/)
  await expect(rowOf(page, 'IN-7')).toContainText('Voided')
  await page.getByRole('button', { name: 'Remove filter: Voided' }).click()
  await expect(rows(page)).toHaveCount(5)
})

test('a draft is marked as not payable, with its period', async ({ page }) => {
  await signIn(page, finance, '/invoices/2026-11-12ab34cd')
  await expect(page).toHaveTitle(/^Summary of charges 2026-11-12ab34cd/)
  await expect(page.locator('main header')).toContainText('Summary of charges · Cloud platform')
  await expect(page.getByText('Charges so far, not billed')).toBeVisible()
  await expect(page.getByText('Draft, not owed')).toBeVisible()
  expect(await details(page)).toEqual({
    Date: dayLabel(day(5)),
    'Total so far': '812.40 USD',
    Issuer: 'Fernhill Cloud, Inc.',
    'Billed to': 'documents Ltd',
    'Billing account': '0925-1183',
    Period: '1 Nov 2026 – 30 Nov 2026',
  })
  await expect(page.getByText(/Balance due|Payments and credits/)).toHaveCount(0)
  await expectGood(page)
  await page.setViewportSize(PHONE)
  await expectGood(page)
})

test('a credit note, its invoice and a voided invoice link to each other', async ({ page, request }) => {
  await signIn(page, finance, '/invoices/CN-8')
  await expect(page).toHaveTitle(/^Credit note CN-8/)
  await expect(page.getByText('Settled', { exact: true })).toBeVisible()
  await expect(page.getByText('against which 40.00 USD of it is set off')).toBeVisible()
  expect(await details(page)).not.toHaveProperty('Due')
  await expectGood(page)
  await page.getByText('This credit note is of invoice').getByRole('link', { name: 'IN-7' }).click()
  await expect(page.getByText('Corrected by CN-8, 40.00 USD set off.')).toBeVisible()
  await expect.poll(() => details(page)).toHaveProperty('Balance due', '50.00 USD')
  await page.getByText('came into the place of').getByRole('link', { name: 'IN-7' }).click()
  await expect(page.getByText('This document is voided')).toBeVisible()
  expect(await details(page)).not.toHaveProperty('Due')
  await expectGood(page)
  await page.getByText('In its place').getByRole('link', { name: 'IN-7' }).click()
  await expect(page.getByRole('heading', { name: 'IN-7', exact: true })).toBeVisible()
  const answer = await request.get('/billing/v1/invoices/IN-7~2', {
    headers: { Authorization: `Bearer ${key}` },
  })
  expect(await answer.json()).toMatchObject({
    number: 'IN-7',
    status: 'OPEN',
    id: 'IN-7',
    replaces: 'IN-7~1',
    payableAmount: 50,
    correctedBy: [{ id: 'CN-8', number: 'CN-8', setOffAmount: 40 }],
  })
})

test('the statement and a comparison distinguish two invoices with one number', async ({ page }) => {
  await signIn(page, finance, '/invoices/statement')
  const items = page.getByRole('table', { name: /^Open items/ }).getByRole('row')
  await expect(items).toHaveCount(3)
  await expect(items.filter({ hasText: 'Norrland Hosting AB' })).toContainText('IN-PAID')
  await expectGood(page)
  await page.goto('/invoices/compare?from=IN-PAID&to=norrland:IN-PAID')
  const options = page.getByRole('combobox', { name: 'From' }).getByRole('option')
  await expect(options.filter({ hasText: 'IN-PAID, Norrland Hosting AB' })).toHaveCount(1)
  await expect(options.filter({ hasText: '2026-11-12ab34cd' })).toHaveCount(0)
  await expectGood(page)
})
