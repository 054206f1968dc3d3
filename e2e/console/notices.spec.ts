import { expect } from '@playwright/test'
import { type Catcher, startCatcher } from '../../test/fakes/mail/catcher.ts'
import { invoice, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, PHONE } from '../browser.ts'
import { day } from '../days.ts'
import { test } from '../reused-page.ts'

// Recent enough that its import does not count as history.
const OVERDUE = { invoiceDate: day(-40), dueDate: day(-10) }

let customer: Awaited<ReturnType<typeof newCustomer>>
/** A mail of the app under test, and its links as they are in it. */
let mail: Catcher['mails'][number] | undefined
let [kind, all] = ['', '']

test.beforeAll(async () => {
  customer = await newCustomer('notified')
  const catcher = await startCatcher()
  await customer.importInvoices([invoice('LATE-1', OVERDUE)])
  expect(await customer.sendNotices(`ap@${customer.domain}`, catcher.url)).toBe(1)
  await catcher.close()
  mail = catcher.mails[0]
  ;[kind = '', all = ''] = [...`${mail?.text}`.matchAll(/http\S+unsubscribe\S+/g)].map(([url]) => url)
})

test('the link of a mail stops its kind without a sign-in, and restarts it', async ({ page }) => {
  const pageErrors = complaints(page)
  await page.goto(kind)
  await expect(page.getByText(`To ap@${customer.domain}, of invoices of notified Ltd`)).toBeVisible()
  await expectGood(page)
  const row = page.getByRole('listitem').filter({ hasText: 'Past due' })
  await expect(row.getByText('On')).toBeVisible()
  await page.getByRole('button', { name: 'Stop these notices' }).click()
  await expect(page.getByText('Saved. Applies from now on.')).toBeVisible()
  await expect(row.getByText('Stopped')).toBeVisible()
  await expect(page.getByRole('listitem').filter({ hasText: 'New invoices' }).getByText('On')).toBeVisible()
  await expectGood(page)
  await page.getByRole('button', { name: 'Start again: Past due' }).click()
  await expect(row.getByText('On')).toBeVisible()
  expect(pageErrors).toEqual([])
})

test('mails are stopped and started again on a phone, by keyboard and without scripts', async ({
  browser,
}) => {
  const context = await browser.newContext({ viewport: PHONE, javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(all)
  const button = page.getByRole('button', { name: 'Stop all notices' })
  await button.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Stopped')).toHaveCount(3)
  await page.getByRole('button', { name: 'Resume all' }).click()
  await expect(page.getByText('On', { exact: true })).toHaveCount(3)
  await context.close()
  const scripted = await browser.newContext({ viewport: PHONE })
  const other = await scripted.newPage()
  await other.goto(all)
  await expectGood(other)
  await scripted.close()
})

test('opening the addresses of a mail changes nothing, and an unknown link shows an error', {
  tag: '@deep',
}, async ({ page, request }) => {
  const header = /<(.*)>/.exec(`${mail?.headers['list-unsubscribe']}`)?.[1] ?? ''
  for (const url of [kind, all, header]) {
    for (const answer of [await request.get(url), await request.head(url)]) expect(answer.status()).toBe(200)
  }
  await page.goto(header)
  await expect(page).toHaveURL(/\/unsubscribe\?link=/)
  await expect(page.getByText('On', { exact: true })).toHaveCount(3)

  const form = { 'List-Unsubscribe': 'One-Click' }
  const rejectedAddresses = [
    [await request.post(`${header}x`, { form, maxRedirects: 0 }), 404],
    [await request.post(header.replace(/\?.*/, ''), { form, maxRedirects: 0 }), 404],
    [await request.post(header, { form: { a: 'b' }, maxRedirects: 0 }), 400],
    [
      await request.post(header, {
        data: 'nothing',
        headers: { 'Content-Type': 'text/plain' },
        maxRedirects: 0,
      }),
      400,
    ],
    [await request.post(header, { form: { x: 'a'.repeat(20_000) }, maxRedirects: 0 }), 413],
    [await request.put(header, { form, maxRedirects: 0 }), 405],
  ] as const
  expect(rejectedAddresses.map(([answer]) => answer.status())).toEqual(
    rejectedAddresses.map(([, status]) => status),
  )
  for (const path of ['/unsubscribe', '/unsubscribe?link=', `/unsubscribe?link=a&link=b`, `${all}x`]) {
    const answer = await page.goto(path)
    expect(answer?.status()).toBe(404)
    await expect(page.getByRole('heading', { name: 'This link is not valid' })).toBeVisible()
  }
  await expectGood(page)
  await page.goto(all)
  await expect(page.getByText('On', { exact: true })).toHaveCount(3)
})

test('the mail leads to the invoice', async ({ page }) => {
  const email = await customer.member('Fin Ance', 'finance-user')
  const url = /http\S+\/invoices\/LATE-1/.exec(`${mail?.text}`)?.[0] ?? ''
  await page.goto(url)
  await page.getByLabel('Work email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { name: /LATE-1/ })).toBeVisible()
})
