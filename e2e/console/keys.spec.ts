import { expect, type Page } from '@playwright/test'
import { newCustomer, PASSWORD } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { clipboardText, complaints, PHONE, pressEnter, signInFreshly } from '../browser.ts'
import { test } from '../reused-page.ts'

const LONG = 'The nightly import of everything that Montgomery-Featherstonehaugh & Daughters ever licensed'
let customer: Awaited<ReturnType<typeof newCustomer>>
const member = { ana: '', fin: '', boss: '' }

test.beforeAll(async () => {
  customer = await newCustomer('keys')
  await customer.profile('emea', 'Europe, Middle East and Africa')
  member.ana = await customer.member('Ana Ruiz', 'it-manager')
  member.fin = await customer.member('Fin Ance', 'finance-user', 'it-manager')
  member.boss = await customer.member('Boss Admin', 'admin')
})

const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })
const opens = async (page: Page, key: string) => {
  const answer = await fetch(new URL('/auth/v1/validate', page.url()), {
    headers: { authorization: `Bearer ${key}` },
  })
  return answer.status
}
const displayedKey = async (page: Page) =>
  (await page.getByRole('dialog').locator('code').first().textContent()) ?? ''

async function issue(page: Page, name: string, role?: string) {
  await page.getByRole('button', { name: 'Create key' }).click()
  const panel = dialog(page, 'Create key')
  await panel.getByLabel('Name').fill(name)
  if (role) await panel.getByRole('checkbox', { name: role }).check()
  await panel.getByRole('button', { name: 'Create key' }).click()
  await expect(dialog(page, 'Key created')).toBeVisible()
  const key = await displayedKey(page)
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(rowOf(page, name)).toBeVisible()
  return key
}

async function choose(page: Page, name: string, what: string) {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('button', { name: what, exact: true }).click()
}

test('a member issues a key by keyboard, copies it, and it works', async ({ page, context }) => {
  const pageErrors = complaints(page)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signInFreshly(page, member.ana)
  await page.getByRole('link', { name: 'API keys' }).click()
  await expect(page).toHaveURL(/\/keys$/)
  await expect(page.getByText('No API keys yet')).toBeVisible()
  await expectGood(page)
  await pressEnter(page.getByRole('button', { name: 'Create key' }))
  await expect(dialog(page, 'Create key')).toBeVisible()
  await expectGood(page)
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('name'))
  while ((await focused()) !== 'name') await page.keyboard.press('Tab')
  await page.keyboard.type('ERP')
  // A single role needs no choice.
  await expect(page.getByRole('checkbox', { name: 'IT Manager' })).toBeChecked()
  await expect(page.getByRole('checkbox', { name: 'Finance User' })).toHaveCount(0)
  await expect(page.getByRole('radio')).toHaveCount(0)
  await page.keyboard.press('Enter')
  await expect(dialog(page, 'Key created')).toBeVisible()
  await expectGood(page)
  const key = await displayedKey(page)
  expect(key).toMatch(/^lic_[0-9A-Za-z]{36}$/)
  await pressEnter(page.getByRole('button', { name: 'Copy key' }))
  expect(await clipboardText(page, new RegExp(`^${key}$`))).toBe(key)
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  const line = await clipboardText(page, new RegExp(`^curl .*${key}`))
  expect(line).toBe(
    `curl -H "Authorization: Bearer ${key}" '${new URL(page.url()).origin}/billing/v1/assets'`,
  )
  expect(await opens(page, key)).toBe(200)
  await page.keyboard.press('Escape')
  await expect(page.getByText(key)).toHaveCount(0)
  const row = rowOf(page, 'ERP')
  await expect(row).toContainText(`${key.slice(0, 8)}…${key.slice(-4)}`)
  await page.reload()
  await expect(row).toContainText('from 127.0.0.1')
  await page.goto('/keys?whose=all')
  await expect(page).toHaveURL(/\/keys$/)
  expect(pageErrors).toEqual([])
})

test('errors are shown at their field, and nothing typed is lost', async ({ page }) => {
  const pageErrors = complaints(page)
  await signInFreshly(page, member.fin, '/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  const panel = dialog(page, 'Create key')
  await panel.getByLabel('Name').fill('Books')
  // The role that changes nothing is selected at first.
  await panel.getByRole('checkbox', { name: 'Finance User' }).uncheck()
  await panel.getByLabel('Allowed addresses').fill('192.0.2.0/24 home')
  await panel.getByRole('button', { name: 'Create key' }).click()
  await expect(panel.getByText('Choose a role.')).toBeVisible()
  await panel.getByRole('checkbox', { name: 'Finance User' }).check()
  await panel.getByRole('button', { name: 'Create key' }).click()
  await expect(panel.getByText(/neither an address nor a network/)).toBeVisible()
  await expectGood(page)
  await expect(panel.getByLabel('Name')).toHaveValue('Books')
  await panel.getByLabel('Allowed addresses').fill('192.0.2.0/24, 2001:db8::/32')
  await panel.getByRole('checkbox', { name: 'Europe, Middle East and Africa' }).check()
  await panel.getByRole('button', { name: 'Create key' }).click()
  const key = await displayedKey(page)
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(rowOf(page, 'Books')).toContainText('Billing profiles: emea')
  await expect(rowOf(page, 'Books')).toContainText('From 192.0.2.0/24, 2001:db8::/32')
  expect(await opens(page, key)).toBe(401)
  expect(pageErrors).toEqual([])
})

test('a member with an old sign-in confirms it, and the requested action completes', async ({ page }) => {
  const pageErrors = complaints(page)
  await signInFreshly(page, member.fin, '/keys')
  const key = await issue(page, 'Old import', 'IT Manager')
  await customer.ageSignIns()
  await choose(page, 'Old import', 'Revoke')
  await expect(dialog(page, 'Revoke key')).toContainText('stops working immediately')
  await expectGood(page)
  await page.getByRole('button', { name: 'Revoke key' }).click()
  const confirm = dialog(page, 'Confirm it’s you')
  await expect(confirm).toBeVisible()
  await expectGood(page)
  await page.keyboard.press('Escape')
  await expect(page.getByText('Not revoked')).toBeVisible()
  expect(await opens(page, key)).toBe(200)
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await confirm.getByLabel('Password', { exact: true }).fill('not the password')
  await page.keyboard.press('Enter')
  await expect(confirm.getByText('This is not your password.')).toBeVisible()
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
  await expect(page.getByText('Revoked: Old import')).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(await opens(page, key)).toBe(401)
  await page.getByRole('button', { name: 'Expired' }).click()
  await expect(page).toHaveURL(/state=ended/)
  await expect(rowOf(page, 'Old import')).toContainText('Revoked')
  expect(pageErrors).toEqual([])
})

test('a rotation states its consequences, and both keys work during the overlap', async ({ page }) => {
  const pageErrors = complaints(page)
  await signInFreshly(page, member.ana, '/keys')
  const former = await issue(page, 'Sync')
  await choose(page, 'Sync', 'Rotate')
  const panel = dialog(page, 'Rotate key')
  await expect(panel).toContainText('Both keys work for 24 hours. Then the old one ends.')
  await panel.getByRole('radio', { name: 'Not at all' }).check()
  await expect(panel).toContainText('The old key stops working immediately')
  await panel.getByRole('radio', { name: '7 days' }).check()
  await expectGood(page)
  await panel.getByRole('button', { name: 'Rotate key' }).click()
  await expect(dialog(page, 'Key rotated')).toBeVisible()
  const next = await displayedKey(page)
  expect([await opens(page, former), await opens(page, next)]).toEqual([200, 200])
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(rowOf(page, 'Being replaced')).toHaveCount(1)
  await expect(rowOf(page, 'Sync')).toHaveCount(2)
  await page.getByRole('button', { name: 'Actions for Sync' }).nth(1).click()
  await page.getByRole('button', { name: 'Revoke', exact: true }).click()
  const revoking = dialog(page, 'Revoke key')
  await expect(revoking).toContainText('Its successor keeps working')
  const both = revoking.getByRole('checkbox', { name: 'Also revoke its successor' })
  await expect(both).not.toBeChecked()
  await page.setViewportSize(PHONE)
  await expectGood(page)
  await both.focus()
  await page.keyboard.press('Space')
  await revoking.getByRole('button', { name: 'Revoke key' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect([await opens(page, former), await opens(page, next)]).toEqual([401, 401])
  expect(pageErrors).toEqual([])
})

test("an Admin sees all keys, with long names and on a phone, and makes one the customer's", async ({
  page,
}) => {
  const pageErrors = complaints(page)
  await signInFreshly(page, member.boss, '/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  const panel = dialog(page, 'Create key')
  await expect(panel.getByRole('checkbox', { name: 'Admin' })).toBeVisible()
  await panel.getByLabel('Name').fill(LONG)
  await panel.getByRole('checkbox', { name: 'Finance User' }).check()
  await panel.getByRole('radio', { name: /keys Ltd/ }).check()
  expect((await panel.boundingBox())?.height).toBeLessThanOrEqual(700)
  await page.setViewportSize(PHONE)
  await expectGood(page)
  await panel.getByRole('button', { name: 'Create key' }).click()
  await expectGood(page)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByRole('button', { name: 'All', exact: true }).click()
  await expect(page).toHaveURL(/whose=all/)
  await expect(rowOf(page, LONG)).toContainText('Created by Boss Admin')
  await expectGood(page)
  await choose(page, LONG, 'Rename')
  await dialog(page, 'Rename key').getByLabel('Name').fill('Robots')
  await page.keyboard.press('Enter')
  await expect(rowOf(page, 'Robots')).toContainText('keys Ltd')
  await page.getByRole('button', { name: 'Actions for Robots' }).click()
  await expectGood(page)
  expect(pageErrors).toEqual([])
})

test('many keys are paginated', async ({ page }) => {
  for (let n = 0; n < 3; n++) await customer.key('it-manager')
  await signInFreshly(page, member.boss, '/keys?whose=all&maxResults=2')
  await expect(page.getByRole('row')).toHaveCount(3)
  await page.getByRole('link', { name: 'Older' }).click()
  await expect(page).toHaveURL(/pageToken=/)
  await expect(page.getByRole('link', { name: 'Newer' })).toBeVisible()
  await expect(page.getByText('Created by your reseller’s operator')).not.toHaveCount(0)
})
