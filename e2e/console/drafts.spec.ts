import { expect, type Page } from '@playwright/test'
import { asset, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { signIn, waitForRows } from '../browser.ts'
import { test } from '../reused-page.ts'

// A typed total survives a navigation, and a change can be undone.

let it = ''
let key = ''

test.beforeAll(async () => {
  const customer = await newCustomer('drafts')
  await customer.importAssets([
    asset('workspace-suite-1', 'Business Plus', { purchased: 240, assigned: 182 }),
    asset('workspace-suite-2', 'Business Standard', { purchased: 50, assigned: 40 }),
    asset('workspace-suite-3', 'Enterprise', { purchased: 60, assigned: 60 }),
    asset('office-suite-1', 'Annual', { purchased: 10, assigned: 2, commitmentEnd: '2099-03-01T00:00:00Z' }),
  ])
  it = await customer.member('Ida Tech', 'it-manager')
  key = await customer.key('it-manager')
})

const control = (page: Page, name: string) => page.getByRole('spinbutton', { name: `Licenses of ${name}` })
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const go = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()

async function purchased(page: Page, id: string): Promise<number> {
  const answer = await page.request.get(`/billing/v1/assets/${id}`)
  return (await answer.json()).properties.subscription.Seats.NumberOfSeats
}

/** Sets a total through the API. */
async function set(page: Page, id: string, quantity: number) {
  const headers = { authorization: `Bearer ${key}` }
  const etag = (await page.request.get(`/billing/v1/assets/${id}`, { headers })).headers().etag ?? ''
  const answer = await page.request.patch(`/billing/v1/assets/${id}`, {
    data: { quantity },
    headers: { ...headers, 'if-match': etag, 'idempotency-key': `drafts-${id}-${quantity}` },
  })
  expect(answer.status()).toBe(200)
}

test('a typed total survives a navigation, in the list and on the asset’s page', async ({ page }) => {
  await signIn(page, it, '/assets')
  await control(page, 'Business Plus').fill('250')
  await expect(button(page, 'Set to 250 licenses')).toBeVisible()
  await go(page, 'Activity')
  await expect(page).toHaveURL('/activity')
  await page.goBack()
  await expect(control(page, 'Business Plus')).toHaveValue('250')
  await expect(button(page, 'Set to 250 licenses')).toBeVisible()
  await page.getByRole('link', { name: 'Business Plus' }).click()
  await expect(page).toHaveURL('/assets/workspace-suite-1')
  await expect(button(page, 'Set to 250 licenses')).toBeVisible()
  await button(page, 'Discard').click()
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Assets' }).click()
  await expect(page).toHaveURL('/assets')
  await expect(control(page, 'Business Plus')).toHaveValue('240')
  await expect(button(page, 'Discard')).toHaveCount(0)
  expect(await purchased(page, 'workspace-suite-1')).toBe(240)
})

test('a typed total is dropped when the purchased total changes', async ({ page }) => {
  await signIn(page, it, '/assets')
  await control(page, 'Business Standard').fill('55')
  await go(page, 'Activity')
  await expect(page).toHaveURL('/activity')
  await set(page, 'workspace-suite-2', 52)
  await go(page, 'Assets')
  await expect(page).toHaveURL('/assets')
  await expect(control(page, 'Business Standard')).toHaveValue('52')
  await expect(button(page, 'Discard')).toHaveCount(0)
})

test('a change of a flexible plan can be undone from its toast until another member changes it; that of a commitment can’t', async ({
  page,
}) => {
  await signIn(page, it, '/assets')
  await control(page, 'Business Plus').fill('245')
  await button(page, 'Set to 245 licenses').click()
  const undo = button(page, 'Undo: Business Plus: 240 → 245 licenses')
  await expect(undo).toBeVisible()
  await expectGood(page)
  await undo.click()
  await expect(page.getByRole('status').getByText('Business Plus: 245 → 240 licenses')).toBeVisible()
  await expect(control(page, 'Business Plus')).toHaveValue('240')
  // An undo can't be undone from its toast.
  await expect(button(page, /^Undo/)).toHaveCount(0)
  expect(await purchased(page, 'workspace-suite-1')).toBe(240)

  await control(page, 'Annual').fill('11')
  await button(page, 'Set to 11 licenses').click()
  await expect(page.getByRole('status').getByText('Annual: 10 → 11 licenses')).toBeVisible()
  await expect(button(page, /^Undo/)).toHaveCount(0)

  const field = control(page, 'Business Standard')
  const before = await purchased(page, 'workspace-suite-2')
  await field.fill('70')
  await button(page, 'Set to 70 licenses').click()
  const outdated = button(page, `Undo: Business Standard: ${before} → 70 licenses`)
  await expect(outdated).toBeVisible()
  // The toast stays while it has the focus.
  await outdated.focus()
  await set(page, 'workspace-suite-2', 71)
  await outdated.click()
  await expect(page.getByRole('status').getByText(/^Not undone: .* set this to 71/)).toBeVisible()
  expect(await purchased(page, 'workspace-suite-2')).toBe(71)
})

test('the review does not offer a total that the vendor is known to refuse', async ({ page }) => {
  await signIn(page, it, '/assets')
  await control(page, 'Business Plus').fill('150')
  await expect(page.getByText('That is below the 182 assigned: the vendor will refuse.')).toBeVisible()
  await expect(button(page, /^Set to/)).toHaveCount(0)
  await expectGood(page)
  await control(page, 'Business Plus').press('Enter')
  await expect(button(page, 'Choose 182 licenses')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(control(page, 'Business Plus')).toHaveValue('182')
  await expect(control(page, 'Business Plus')).toBeFocused()
  await expect(button(page, 'Set to 182 licenses')).toBeVisible()
  await page.keyboard.press('Escape')
  // All licenses are assigned, so no lower total is possible.
  await control(page, 'Enterprise').fill('59')
  await button(page, 'Keep 60 licenses').click()
  await expect(control(page, 'Enterprise')).toHaveValue('60')
  await waitForRows(page)
  expect(await purchased(page, 'workspace-suite-1')).toBe(240)
})
