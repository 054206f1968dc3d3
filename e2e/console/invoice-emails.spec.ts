import { expect, type Page } from '@playwright/test'
import { type Catcher, startCatcher } from '../../test/fakes/mail/catcher.ts'
import { newCustomer, sendMails } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, DESKTOP, PHONE, signIn, signInFreshly } from '../browser.ts'
import { test } from '../reused-page.ts'

const people = { admin: '', finance: '' }
let catcher: Catcher

test.beforeAll(async () => {
  catcher = await startCatcher()
  const customer = await newCustomer('emails')
  await customer.profile('emea', 'Emails EMEA')
  people.admin = await customer.member('Ada Min', 'admin')
  people.finance = await customer.member('Fin User', 'finance-user')
})
test.afterAll(() => catcher.close())

/**
 * Sends the pending mails of all customers through a mail server, and returns the link of the confirmation that an
 * address gets.
 */
async function sentLink(email: string): Promise<string> {
  await sendMails(catcher.url)
  const links = catcher.mails
    .filter(({ to }) => to.includes(email))
    .map(({ text }) => /http\S+\/confirm\?link=\S+/.exec(text)?.[0])
  return links.find((link) => link !== undefined) ?? ''
}

async function addAddress(page: Page, email: string, profile: string) {
  await page.getByRole('button', { name: `Add address to ${profile}` }).click()
  await page.getByLabel('Email address').fill(email)
  await expectGood(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Add address' }).click()
  await expect(page.getByText(`Confirmation requested from ${email}`)).toBeVisible()
}

test('an Admin adds an address, which confirms by its link without signing in', async ({ page, browser }) => {
  const errors = complaints(page)
  await signInFreshly(page, people.admin, '/notifications')
  await expect(page.getByText('No addresses yet.').first()).toBeVisible()
  await addAddress(page, 'ap@books.example', 'Emails EMEA')
  const row = page.getByRole('list', { name: 'Addresses of Emails EMEA' }).getByRole('listitem')
  await expect(row).toContainText('Waiting for confirmation')
  for (const viewport of [PHONE, DESKTOP]) {
    await page.setViewportSize(viewport)
    await expectGood(page)
  }
  const link = await sentLink('ap@books.example')
  const phone = await (await browser.newContext({ viewport: PHONE, javaScriptEnabled: false })).newPage()
  await phone.goto(link)
  await expect(
    phone.getByText('Send ap@books.example these emails about invoices of emails Ltd'),
  ).toBeVisible()
  await phone.reload()
  await phone.getByRole('button', { name: 'Confirm' }).click()
  await expect(phone.getByText('Confirmed. ap@books.example gets these emails')).toBeVisible()
  await phone.context().close()
  await page.reload()
  await expect(row).toContainText('Active')
  await page.getByRole('button', { name: 'Edit ap@books.example' }).click()
  await page.getByLabel('Attach the PDFs of new invoices').uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(row).not.toContainText('with PDF')
  await page.getByRole('button', { name: 'Edit ap@books.example' }).click()
  await page.getByRole('button', { name: 'Remove' }).click()
  await expect(row).toHaveCount(0)
  expect(errors).toEqual([])
})

test('an address that the mail server refuses is shown with the reason', async ({ page }) => {
  catcher.faults.set('gone@books.example', { at: 'recipient', code: 550, text: 'No such mailbox' })
  await signInFreshly(page, people.admin, '/notifications')
  await addAddress(page, 'gone@books.example', 'emails Ltd')
  await sendMails(catcher.url)
  await page.reload()
  const row = page.getByRole('list', { name: 'Addresses of emails Ltd' }).getByRole('listitem')
  await expect(row).toContainText('Bounced')
  await expect(row).toContainText('550 No such mailbox')
  await expectGood(page)
})

test('a wrong link shows an error, and others than Admins do not see the screen', async ({ page }) => {
  await page.goto('/confirm?link=x.y')
  await expect(page.getByRole('heading', { name: 'This link is not valid' })).toBeVisible()
  await signIn(page, people.finance, '/notifications')
  await expect(page.getByRole('link', { name: 'Invoice emails' })).toHaveCount(0)
  await expect(page.getByText('Admin').first()).toBeVisible()
})
