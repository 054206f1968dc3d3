import { expect, type Page } from '@playwright/test'
import { invoice, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { DESKTOP, PHONE, signIn } from '../browser.ts'
import { day } from '../days.ts'
import { test } from '../reused-page.ts'

const IBAN = 'DE02120300000000202051'
const DATES = { invoiceDate: day(-40), dueDate: day(-10) }
const EUR = { ...DATES, issuer: 'Fernhill Cloud GmbH', currency: 'EUR', totalAmount: '1250.50' }
const finance = { email: '' }

test.beforeAll(async () => {
  const customer = await newCustomer('pay')
  const paymentUrl = 'https://pay.example/{number}?amount={amount}'
  const details = ['--iban', IBAN, '--bic', 'BYLADEM1001', '--payment-url', paymentUrl]
  await customer.setIssuer('Fernhill Cloud GmbH', ...details)
  finance.email = await customer.member('Fin User', 'finance-user')
  await customer.importInvoices([
    invoice('PAY-1', { ...EUR, balanceAmount: '250.10' }),
    invoice('PAY-2', EUR),
    invoice('PAY-PAID', { ...EUR, balanceAmount: '0.00' }),
    invoice('PAY-USD', { ...EUR, currency: 'USD' }),
  ])
})

const card = (page: Page) => page.locator('div').filter({ has: page.getByRole('heading', { level: 2 }) })

test('an open invoice in EUR shows the transfer as text, as a QR code and as a link', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  for (const viewport of [DESKTOP, PHONE]) {
    await page.setViewportSize(viewport)
    await signIn(page, finance.email, '/invoices/PAY-1')
    await expect(page.getByRole('heading', { name: 'How to pay' })).toBeVisible()
    const code = page.getByRole('img', {
      name: 'QR code for a SEPA credit transfer of 250.10 EUR to Fernhill',
    })
    await expect(code).toBeVisible()
    await expectGood(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect(code.locator('rect')).toHaveCSS('fill', 'rgb(255, 255, 255)')
    await expect(code.locator('path')).toHaveCSS('fill', 'rgb(0, 0, 0)')
    await page.emulateMedia({ colorScheme: 'light' })
  }
  await expect(card(page).getByText('DE02 1203 0000 0000 2020 51').first()).toBeVisible()
  const pay = page.getByRole('link', { name: /^Pay 250\.10 EUR/ })
  await expect(pay).toHaveAttribute('href', 'https://pay.example/PAY-1?amount=250.10')
  await expect(pay).toHaveAttribute('rel', 'noopener noreferrer')
  for (const [name, text] of [
    ['Copy IBAN', IBAN],
    ['Copy Amount', '250.10'],
    ['Copy Reference', 'PAY-1'],
  ] as const) {
    await page.getByRole('button', { name }).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(text)
  }
})

test('an invoice in another currency has no QR code, and a paid one no instructions', async ({ page }) => {
  await signIn(page, finance.email, '/invoices/PAY-USD')
  await expect(page.getByRole('link', { name: /^Pay 1,250\.50 USD/ })).toBeVisible()
  await expect(page.getByRole('img', { name: /QR code/ })).toHaveCount(0)
  await page.goto('/invoices/PAY-PAID')
  await expect(page.getByRole('heading', { name: 'PAY-PAID' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'How to pay' })).toHaveCount(0)
})

test('the statement has one QR code for the open invoices in EUR', async ({ page }) => {
  await signIn(page, finance.email, '/invoices/statement')
  await expect(
    page.getByRole('heading', { name: 'Pay 2 open invoices of pay Ltd to Fernhill Cloud GmbH' }),
  ).toBeVisible()
  await expect(page.getByRole('img', { name: /SEPA credit transfer of 1,500\.60 EUR/ })).toBeVisible()
  await expect(page.getByRole('img', { name: /QR code/ })).toHaveCount(1)
  await expectGood(page)
})
