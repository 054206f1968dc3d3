import { type Browser, expect, type Page } from '@playwright/test'
import { asset, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, giveSession, PHONE, signIn } from '../browser.ts'
import { test } from '../reused-page.ts'

const member = { ana: '', ida: '' }

test.beforeAll(async () => {
  const customer = await newCustomer('conflict')
  await customer.importAssets([
    asset('workspace-suite-1', 'Business Plus', { purchased: 50 }),
    asset('workspace-suite-2', 'Enterprise', { purchased: 50, commitmentEnd: '2099-03-01T00:00:00Z' }),
    asset('office-suite-1', 'Apps', { purchased: 10 }),
  ])
  member.ana = await customer.member('Ana Ruiz', 'it-manager')
  member.ida = await customer.member('Ida Tech', 'it-manager')
})

const control = (page: Page, name: string) => page.getByRole('spinbutton', { name: `Licenses of ${name}` })

/** Sets a total as Ana, in another browser. */
async function anaSets(browser: Browser, id: string, quantity: number): Promise<void> {
  const context = await browser.newContext()
  await giveSession(context, member.ana)
  const headers = { origin: process.env.E2E_BASE_URL as string }
  const answer = await context.request.patch(`/billing/v1/assets/${id}`, { headers, data: { quantity } })
  expect(answer.status()).toBe(200)
  await context.close()
}

/**
 * Calls while the page reads no list: one that is older than half a minute is read again as soon as the window has the focus,
 * and a page that has read the new total has no conflict.
 */
async function withoutReads(page: Page, change: () => Promise<void>): Promise<void> {
  const lists = /\/billing\/v1\/assets\?/
  await page.route(lists, () => {})
  await change()
  await page.unroute(lists)
}

async function purchased(page: Page, id: string): Promise<number> {
  const answer = await page.request.get(`/billing/v1/assets/${id}`)
  return (await answer.json()).properties.subscription.Seats.NumberOfSeats
}

test('a conflict shows the member who changed the total and the new meaning of the number, and offers both totals', async ({
  page,
  browser,
}) => {
  const pageErrors = complaints(page)
  await signIn(page, member.ida, '/assets')
  await control(page, 'Business Plus').fill('60')
  await withoutReads(page, async () => {
    await anaSets(browser, 'workspace-suite-1', 55)
    await page.getByRole('button', { name: 'Set to 60 licenses' }).click()
  })
  await expect(page.getByText('Ana Ruiz set this to 55 licenses just now')).toBeVisible()
  await expect(page.getByText('You started from 50. Your 60 now means +5, not +10.')).toBeVisible()
  expect(await purchased(page, 'workspace-suite-1')).toBe(55)
  await expectGood(page)
  await page.setViewportSize(PHONE)
  await expectGood(page)
  await page.getByRole('button', { name: 'Keep 55' }).click()
  await expect(control(page, 'Business Plus')).toHaveValue('55')
  await control(page, 'Business Plus').fill('70')
  await withoutReads(page, async () => {
    await anaSets(browser, 'workspace-suite-1', 56)
    await page.getByRole('button', { name: 'Set to 70 licenses' }).click()
  })
  await expect(page.getByText('Ana Ruiz set this to 56 licenses')).toBeVisible()
  await page.getByRole('button', { name: 'Set to 70 licenses' }).click()
  await expect(page.getByRole('status').getByText('Business Plus: 56 → 70 licenses')).toBeVisible()
  expect(await purchased(page, 'workspace-suite-1')).toBe(70)
  expect(pageErrors).toEqual([])
})

test('a commitment plan’s total is reviewed again after a conflict, never set by one click', async ({
  page,
  browser,
}) => {
  await signIn(page, member.ida, '/assets')
  await control(page, 'Enterprise').fill('60')
  await withoutReads(page, async () => {
    await anaSets(browser, 'workspace-suite-2', 55)
    await page.getByRole('button', { name: 'Set to 60 licenses' }).click()
  })
  await expect(page.getByText('Ana Ruiz set this to 55 licenses')).toBeVisible()
  await page.getByRole('button', { name: 'Review 60' }).click()
  await expect(page.getByText('Enterprise: 55 → 60 licenses')).toBeVisible()
  expect(await purchased(page, 'workspace-suite-2')).toBe(55)
  await page.getByRole('button', { name: 'Set to 60 licenses' }).click()
  await expect.poll(() => purchased(page, 'workspace-suite-2')).toBe(60)
  await expect(control(page, 'Enterprise')).toHaveValue('60')
})

test('a retry after a lost answer makes the change once', async ({ page }) => {
  await signIn(page, member.ida, '/assets')
  const keys: (string | undefined)[] = []
  await page.route('**/billing/v1/assets/office-suite-1', async (route) => {
    keys.push(route.request().headers()['idempotency-key'])
    if (keys.length > 1) return route.continue()
    // The service receives the request, and its answer is lost.
    await route.fetch()
    await route.abort()
  })
  await control(page, 'Apps').fill('12')
  await page.getByRole('button', { name: 'Set to 12 licenses' }).click()
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => keys.length).toBe(2)
  await expect(control(page, 'Apps')).toHaveValue('12')
  await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0)
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
  expect(keys).toEqual([keys[0], keys[0]])
  expect(await purchased(page, 'office-suite-1')).toBe(12)
})
