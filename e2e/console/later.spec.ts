import { expect, type Page, test } from '@playwright/test'
import { asset, newCustomer } from '../admin.ts'
import { rowsCame, signIn } from '../browser.ts'

let it = ''

test.beforeAll(async () => {
  const own = await newCustomer('later')
  await own.importAssets([asset('workspace-suite-1', 'Business Plus', { purchased: 240, assigned: 182 })])
  it = await own.member('Ida Tech', 'it-manager')
})

const SCRIPTS = '**/_next/static/chunks/*.js'
const quantity = (page: Page) => page.getByRole('spinbutton', { name: 'Licenses of Business Plus' })

test('a part whose script does not come says so, and comes once it can be had', async ({ page }) => {
  await signIn(page, it, '/assets')
  await rowsCame(page)
  await page.route(SCRIPTS, (route) => route.abort())
  await page.getByRole('button', { name: 'Columns' }).click()
  await expect(page.getByText('This part of the page could not be loaded.')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.unroute(SCRIPTS)
  // Whoever points at it fetches it anew.
  await page.getByRole('button', { name: 'Views' }).hover()
  await page.getByRole('button', { name: 'Columns' }).click()
  await expect(page.getByRole('group', { name: 'Columns' })).toBeVisible()
})

test('Enter that is quicker than the review leads into it all the same', async ({ page }) => {
  await signIn(page, it, '/assets')
  await rowsCame(page)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(SCRIPTS, async (route) => {
    await held
    await route.continue()
  })
  await quantity(page).fill('245')
  await quantity(page).press('Enter')
  await expect(page.getByRole('button', { name: 'Set to 245 licenses' })).toHaveCount(0)
  release()
  await expect(page.getByRole('button', { name: 'Set to 245 licenses' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(quantity(page)).toHaveValue('245')
})

test('typing on after such an Enter keeps the focus', async ({ page }) => {
  await signIn(page, it, '/assets')
  await rowsCame(page)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(SCRIPTS, async (route) => {
    await held
    await route.continue()
  })
  await quantity(page).fill('25')
  await quantity(page).press('Enter')
  await quantity(page).press('End')
  await quantity(page).pressSequentially('9')
  release()
  await expect(page.getByRole('button', { name: 'Set to 259 licenses' })).toBeVisible()
  await expect(quantity(page)).toBeFocused()
})
