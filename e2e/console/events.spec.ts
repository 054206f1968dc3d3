import { readFile } from 'node:fs/promises'
import { expect, type Page } from '@playwright/test'
import { asset, newCustomer, PASSWORD } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { chooseFilter, complaints, exported, PHONE, signIn, signInFreshly } from '../browser.ts'
import { test } from '../reused-page.ts'

const people = { admin: '', it: '' }
const keys = { it: '' }
let customer: Awaited<ReturnType<typeof newCustomer>>

test.beforeAll(async () => {
  customer = await newCustomer('events')
  await customer.importAssets([asset('workspace-suite-1', 'Business Plus', { purchased: 40, assigned: 30 })])
  people.admin = await customer.member('Ada Min', 'admin')
  people.it = await customer.member('Ida Tech', 'it-manager')
  keys.it = await customer.key('it-manager')
})

const rows = (page: Page) =>
  page
    .getByRole('table', { name: /^Events/ })
    .locator('tbody')
    .getByRole('row')
const row = (page: Page, text: string | RegExp) => rows(page).filter({ hasText: text })

test('an Admin reads the events: sign-ins, failed ones, exports, changes and refusals', async ({ page }) => {
  const pageErrors = complaints(page)
  const headers = { Authorization: `Bearer ${keys.it}` }
  const patched = await page.request.patch('/billing/v1/assets/workspace-suite-1', {
    headers,
    data: { quantity: 45 },
  })
  expect(patched.status()).toBe(200)
  expect((await page.request.get('/billing/v1/assets.csv?search=plus', { headers })).status()).toBe(200)
  expect((await page.request.get('/billing/v1/invoices', { headers })).status()).toBe(403)
  const { csrfToken } = await (await page.request.get('/api/auth/csrf')).json()
  const form = { email: people.it, password: `${PASSWORD}!`, csrfToken, json: 'true' }
  expect((await page.request.post('/api/auth/callback/credentials', { form })).status()).toBe(401)

  await signInFreshly(page, people.admin, '/activity')
  await page.getByRole('navigation', { name: 'Activity' }).getByRole('link', { name: 'Audit log' }).click()
  await expect(page).toHaveURL(/\/activity\/events$/)
  await expect(row(page, 'Ada Min signed in')).toContainText('127.0.0.1')
  await expect(row(page, 'failed to sign in as Ida Tech')).toHaveCount(1)
  await expect(row(page, 'Key “test” was denied access')).toHaveCount(1)
  await expect(row(page, 'Key “test” changed Business Plus from 40 to 45 licenses')).toHaveCount(1)
  await expect(row(page, 'Operator created a key: test')).toHaveCount(1)
  const exportRow = row(page, 'Key “test” exported assets')
  await expect(exportRow.getByText('query search=plus')).toBeHidden()
  await exportRow.getByText('Details').click()
  await expect(exportRow.getByText('query search=plus')).toBeVisible()
  await expectGood(page)
  await page.setViewportSize(PHONE)
  await expectGood(page)
  expect(pageErrors).toEqual([])
})

test('a time stays on one line on wide screens, next to any details', async ({ page }) => {
  await page.setViewportSize({ width: 1366, height: 651 })
  const headers = { Authorization: `Bearer ${keys.it}` }
  const search = 'many words '.repeat(15).trim()
  expect((await page.request.get('/billing/v1/assets.csv', { headers, params: { search } })).status()).toBe(
    200,
  )
  await signIn(page, people.admin, '/activity/events')
  const parts = row(page, /many.words/).locator('time > span')
  await expect(parts).toHaveCount(2)
  const tops = await parts.evaluateAll((all) => all.map((part) => part.getBoundingClientRect().top))
  expect(new Set(tops).size).toBe(1)
})

test('events are filtered by kind, person and time, in the address and the file', async ({ page }) => {
  const pageErrors = complaints(page)
  await signIn(page, people.admin, '/activity/events')
  await page.getByRole('button', { name: /^About/ }).click()
  await page.getByRole('checkbox', { name: 'Members and keys' }).check()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/filter=kind:access/)
  await expect(row(page, 'Created a key')).toHaveCount(1)
  await expect(row(page, 'Signed in')).toHaveCount(0)
  await row(page, 'Created a key').getByRole('button', { name: 'Only what Operator did' }).click()
  await expect(page).toHaveURL(/actor:operator/)
  const active = page.getByRole('search', { name: 'Filters' })
  await expect(active).toContainText('Operator')
  const [download] = await Promise.all([page.waitForEvent('download'), exported(page, 'CSV')()])
  const text = await readFile(await download.path(), 'utf8')
  expect(download.suggestedFilename()).toMatch(/^audit-events-\d{4}-\d\d-\d\d\.csv$/)
  expect(text).toContain('key.issued')
  expect(text).not.toContain('session.opened')
  await active.getByRole('button', { name: 'Clear all' }).click()
  await expect(page).toHaveURL(/\/activity\/events$/)
  await chooseFilter(page, 'Person', 'Ada Min')
  await expect(rows(page).getByText('Operator', { exact: true })).toHaveCount(0)
  await expect(row(page, 'Ada Min signed in').first()).toBeVisible()
  await active.getByRole('button', { name: 'Remove filter: Ada Min' }).click()
  await chooseFilter(page, 'Product', 'Business Plus')
  await expect(page).toHaveURL(/filter=asset:workspace-suite-1/)
  await expect(row(page, 'changed Business Plus from 40 to 45 licenses')).toHaveCount(1)
  await expect(row(page, 'signed in')).toHaveCount(0)
  await active.getByRole('button', { name: 'Remove filter: Business Plus' }).click()
  await page.getByRole('button', { name: /^About/ }).click()
  await page.getByRole('checkbox', { name: 'Notices' }).check()
  await expect(page.getByText(/No event matches all filters/)).toBeVisible()
  await page.goto('/activity/events?filter=kind:weather')
  await expect(page.getByText(/knows these values of kind only/)).toBeVisible()
  expect(pageErrors).toEqual([])
})

test('members without Admin have no link to the events, see the required role, and leave a trace', async ({
  page,
}) => {
  await signIn(page, people.it, '/activity')
  await expect(page.getByRole('link', { name: 'Audit log' })).toHaveCount(0)
  await page.goto('/activity/events')
  await expect(page.getByText('This page needs the role Admin.')).toBeVisible()
  await expectGood(page)
  const headers = { Authorization: `Bearer ${await customer.key('admin')}` }
  const denied = await page.request.get('/billing/v1/audit-events?filter=action:access.denied', { headers })
  const actor = expect.objectContaining({ kind: 'member', name: 'Ida Tech' })
  const details = { code: 'permission_denied', permission: 'Audit Viewer' }
  expect((await denied.json()).auditEvents).toContainEqual(
    expect.objectContaining({ subject: 'Activity', actor, details, address: '127.0.0.1' }),
  )
})
