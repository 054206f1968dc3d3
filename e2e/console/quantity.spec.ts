import { expect, type Page } from '@playwright/test'
import { asset, invoice, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, PHONE, signIn } from '../browser.ts'
import { test } from '../reused-page.ts'

const COMMITTED = { assigned: 60, commitmentEnd: '2099-03-01T00:00:00Z' }
const member = { it: '', both: '' }

test.beforeAll(async () => {
  const customer = await newCustomer('quantity')
  await customer.importAssets([
    asset('workspace-suite-1', 'Business Plus', { purchased: 240, assigned: 182 }),
    asset('workspace-suite-2', 'Enterprise Standard', { purchased: 60, ...COMMITTED }),
    asset('workspace-suite-3', 'Enterprise Plus', { purchased: 60, ...COMMITTED }),
    asset('office-suite-1', 'Apps for Business', { purchased: 45, assigned: 41 }),
    asset('office-suite-2', 'Office E3', { purchased: 100, assigned: 20 }),
  ])
  await customer.importInvoices([
    invoice('IN-7', {
      platform: 'workspace-suite',
      totalAmount: '4320.00',
      lines: [{ description: 'Business Plus, October', price: '18.00', qty: '240' }],
    }),
  ])
  member.it = await customer.member('Ida Tech', 'it-manager')
  member.both = await customer.member('Bo Th', 'it-manager', 'finance-user')
})

const control = (page: Page, name: string) => page.getByRole('spinbutton', { name: `Licenses of ${name}` })

async function purchased(page: Page, id: string): Promise<number> {
  const answer = await page.request.get(`/billing/v1/assets/${id}`)
  return (await answer.json()).properties.subscription.Seats.NumberOfSeats
}

test('every digit of a total is visible, on a desktop and on a phone', async ({ page }) => {
  await signIn(page, member.it, '/assets')
  const field = control(page, 'Business Plus')
  for (const [total, label] of [
    [999_500, '999,500'],
    [1_000_000, '1,000,000'],
  ] as const) {
    await field.fill(String(total))
    await field.blur()
    await expect(field).toHaveValue(label)
    for (const size of [{ width: 1360, height: 900 }, PHONE]) {
      await page.setViewportSize(size)
      await expect.poll(() => field.evaluate((input) => input.scrollWidth - input.clientWidth)).toBe(0)
    }
  }
  // As high as the buttons next to it.
  await page.goto('/assets/workspace-suite-1')
  const button = page.getByRole('button', { name: 'Copy as request' })
  for (const size of [{ width: 1360, height: 900 }, PHONE]) {
    await page.setViewportSize(size)
    const box = await page.getByRole('group', { name: 'Licenses of Business Plus' }).boundingBox()
    expect(box?.height).toBe((await button.boundingBox())?.height)
  }
})

test('a flexible plan is lowered by keyboard only; one Enter never buys', async ({ page }) => {
  const pageErrors = complaints(page)
  await signIn(page, member.both, '/assets')
  const field = control(page, 'Business Plus')
  await field.focus()
  await page.keyboard.press('ArrowUp')
  await expect(field).toHaveValue('241')
  await page.keyboard.press('PageDown')
  await expect(field).toHaveValue('231')
  await page.keyboard.press('Escape')
  await expect(field).toHaveValue('240')
  await expect(field).toBeFocused()
  await field.fill('195')
  await expect(page.getByText('Business Plus: 240 → 195 licenses')).toBeVisible()
  await expect(page.getByText('182 assigned, 13 unassigned.')).toBeVisible()
  await expect(page.getByText('About 810.00 USD less per billing period')).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Set to 195 licenses' })).toBeFocused()
  expect(await purchased(page, 'workspace-suite-1')).toBe(240)
  await expectGood(page)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('status').getByText('Business Plus: 240 → 195 licenses')).toBeVisible()
  await expect(field).toHaveValue('195')
  await expect(field).toBeFocused()
  expect(await purchased(page, 'workspace-suite-1')).toBe(195)
  expect(pageErrors).toEqual([])
})

test('a commitment plan disables − with its reason, and keeps a lower number that cannot be sent', async ({
  page,
}) => {
  await signIn(page, member.it, '/assets')
  const field = control(page, 'Enterprise Standard')
  await expect(
    page.getByRole('button', { name: 'One fewer: Licenses of Enterprise Standard' }),
  ).toBeDisabled()
  await expect(field).toHaveAccessibleDescription('Can’t be lowered before 1 Mar 2099')
  await field.fill('50')
  await field.blur()
  await expect(field).toHaveValue('50')
  await expect(
    page.getByText('Enterprise Standard can’t go below 60 licenses before 1 Mar 2099'),
  ).toBeVisible()
  await expect(page.getByRole('button', { name: /^Set to/ })).toHaveCount(0)
  await expectGood(page)
  await page.getByRole('button', { name: 'Discard' }).click()
  await expect(field).toHaveValue('60')
})

test('a large increase that cannot be undone asks for the new total', async ({ page }) => {
  await signIn(page, member.it, '/assets')
  const field = control(page, 'Enterprise Plus')
  await field.fill('72')
  await expect(page.getByRole('button', { name: 'Set to 72 licenses' })).toBeEnabled()
  await field.fill('73')
  const set = page.getByRole('button', { name: 'Set to 73 licenses' })
  await expect(set).toBeDisabled()
  await field.press('Enter')
  await expect(page.getByLabel('Type 73 to confirm')).toBeFocused()
  await page.keyboard.type('37')
  await page.keyboard.press('Enter')
  await expect(set).toBeDisabled()
  expect(await purchased(page, 'workspace-suite-3')).toBe(60)
  await page.getByLabel('Type 73 to confirm').fill('73')
  await set.click()
  await expect(page.getByRole('status').getByText('Enterprise Plus: 60 → 73 licenses')).toBeVisible()
  expect(await purchased(page, 'workspace-suite-3')).toBe(73)
})

test("the row shows the vendor's refusal, keeps the number, and offers a way out", async ({ page }) => {
  await signIn(page, member.it, '/assets')
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.url()))
  const field = control(page, 'Apps for Business')
  await field.fill('38')
  await expect(page.getByText('That is below the 41 assigned')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Set to/ })).toHaveCount(0)
  await page.getByRole('button', { name: 'Ask for 38 all the same' }).dblclick()
  const alert = page.getByRole('alert').filter({ hasText: 'Not changed: the vendor refused 38' })
  await expect(alert).toContainText('41 users are assigned.')
  await expect(alert).toContainText(/Request [\w-]{8,}/)
  await expect(field).toHaveValue('38')
  expect(sent).toHaveLength(1)
  await expectGood(page)
  await page.getByRole('button', { name: 'Try 41' }).click()
  await page.getByRole('button', { name: 'Set to 41 licenses' }).click()
  await expect(page.getByRole('status').getByText('Apps for Business: 45 → 41 licenses')).toBeVisible()
})

test('no change is shown as done before its answer; a missing answer is not called a failure', async ({
  page,
}) => {
  await signIn(page, member.it, '/assets')
  let answer = () => {}
  const blocked = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/billing/v1/assets/*', async (route) => {
    await blocked
    await route.abort()
  })
  await control(page, 'Office E3').fill('110')
  await page.getByRole('button', { name: 'Set to 110 licenses' }).click()
  await expect(page.getByText('Applying…')).toBeVisible()
  await expect(page.getByText('20 of 100 assigned')).toBeVisible()
  await expect(page.getByText('Confirming with the vendor…')).toBeVisible()
  answer()
  await expect(page.getByText('We couldn’t confirm the change.')).toBeVisible()
  await expect(control(page, 'Office E3')).toHaveValue('110')
  await page.unroute('**/billing/v1/assets/*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('status').getByText('Office E3: 100 → 110 licenses')).toBeVisible()
})

test('an extra click buys nothing, nor does a held key', async ({ page }) => {
  await signIn(page, member.it, '/assets')
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.url()))
  await control(page, 'Enterprise Plus').fill('75')
  // If the review above closed now, the second click would hit "Set to 61 licenses".
  await page.getByRole('button', { name: 'One more: Licenses of Enterprise Standard' }).dblclick()
  await expect(control(page, 'Enterprise Standard')).toHaveValue('62')
  await expect(control(page, 'Enterprise Plus')).toHaveValue('75')
  await control(page, 'Enterprise Standard').focus()
  for (let times = 0; times < 4; times++) await page.keyboard.down('Enter')
  await page.keyboard.up('Enter')
  await expect(page.getByRole('button', { name: 'Set to 62 licenses' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(control(page, 'Enterprise Standard')).toHaveValue('60')
  expect(sent).toEqual([])
})

test('no change is queued to be bought later without a network', async ({ page, context }) => {
  await signIn(page, member.it, '/assets')
  const before = await purchased(page, 'office-suite-2')
  await control(page, 'Office E3').fill('120')
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Set to 120 licenses' }).click()
  await expect(page.getByText('We couldn’t confirm the change.')).toBeVisible()
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.url()))
  const read = page.waitForResponse(/\/billing\/v1\/assets/)
  await context.setOffline(false)
  await read
  expect(sent).toEqual([])
  expect(await purchased(page, 'office-suite-2')).toBe(before)
})

test('the rows stay, with a message, if the list could not be read again after a change', async ({
  page,
}) => {
  await signIn(page, member.it, '/assets')
  const field = control(page, 'Office E3')
  const next = Number(await field.inputValue()) + 1
  await page.route(/\/billing\/v1\/assets\?/, (route) => route.abort())
  await field.fill(String(next))
  await page.getByRole('button', { name: `Set to ${next} licenses` }).click()
  await expect(page.getByText('The assets could not be refreshed')).toBeVisible()
  await expect(field).toHaveValue(String(next))
  await expectGood(page)
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('The assets could not be refreshed')).toBeHidden()
})

test('a member who was signed out sees so in the row, and keeps the number', async ({ page, context }) => {
  await signIn(page, member.it, '/assets')
  await control(page, 'Office E3').fill('130')
  await context.clearCookies()
  await page.getByRole('button', { name: 'Set to 130 licenses' }).click()
  const alert = page.getByRole('alert').filter({ hasText: 'Your session ended.' })
  await expect(alert.getByRole('link', { name: 'Sign in' })).toHaveAttribute('href', /from=%2Fassets$/)
  await expect(control(page, 'Office E3')).toHaveValue('130')
})
