import { expect, type Page, test } from '@playwright/test'
import { asset, newCustomer } from '../admin.ts'
import { signIn, waitForRows } from '../browser.ts'

let it = ''

test.beforeAll(async () => {
  const customer = await newCustomer('later')
  await customer.importAssets([
    asset('workspace-suite-1', 'Business Plus', { purchased: 240, assigned: 182 }),
    asset('workspace-suite-2', 'Other Plus', { purchased: 100, assigned: 82 }),
  ])
  it = await customer.member('Ida Tech', 'it-manager')
})

const SCRIPTS = '**/_next/static/chunks/*.js'
const quantity = (page: Page, name = 'Business Plus') =>
  page.getByRole('spinbutton', { name: `Licenses of ${name}` })

/** Holds back all scripts requested from now on, until they are released. */
async function holdBack(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(SCRIPTS, async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}

test('a part whose script fails to load shows an error, and loads on retry', async ({ page }) => {
  await signIn(page, it, '/assets')
  await waitForRows(page)
  await page.route(SCRIPTS, (route) => route.abort())
  await page.getByRole('button', { name: 'Columns' }).click()
  await expect(page.getByText('This part of the page could not be loaded.')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.unroute(SCRIPTS)
  // Pointing at it loads it again.
  await page.getByRole('button', { name: 'Views' }).hover()
  await page.getByRole('button', { name: 'Columns' }).click()
  await expect(page.getByRole('group', { name: 'Columns' })).toBeVisible()
})

test('an Enter before the review is rendered moves the focus into it afterwards', async ({ page }) => {
  await signIn(page, it, '/assets')
  await waitForRows(page)
  const release = await holdBack(page)
  await quantity(page).fill('245')
  await quantity(page).press('Enter')
  await expect(page.getByRole('button', { name: 'Set to 245 licenses' })).toHaveCount(0)
  release()
  await expect(page.getByRole('button', { name: 'Set to 245 licenses' })).toBeFocused()
})

test('typing after an early Enter keeps the focus', async ({ page }) => {
  await signIn(page, it, '/assets')
  await waitForRows(page)
  const release = await holdBack(page)
  await quantity(page).fill('25')
  await quantity(page).press('Enter')
  await quantity(page).press('End')
  await quantity(page).pressSequentially('9')
  release()
  await expect(page.getByRole('button', { name: 'Set to 259 licenses' })).toBeVisible()
  await expect(quantity(page)).toBeFocused()
})

test('a late review does not take the focus from a member in another row', async ({ page }) => {
  await signIn(page, it, '/assets')
  await waitForRows(page)
  const release = await holdBack(page)
  await quantity(page).fill('245')
  await quantity(page).press('Enter')
  await quantity(page, 'Other Plus').fill('111')
  release()
  await expect(page.getByRole('button', { name: 'Set to 245 licenses' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Set to 111 licenses' })).toBeVisible()
  await expect(quantity(page, 'Other Plus')).toBeFocused()
})

test('a press meant for another control buys nothing when the review appears late', async ({ page }) => {
  await signIn(page, it, '/assets')
  await waitForRows(page)
  const release = await holdBack(page)
  await quantity(page).fill('247')
  await quantity(page).press('Enter')
  // Run in the page, so that it happens in the moment in which the review takes the focus.
  await page.evaluate(() => {
    addEventListener(
      'focusin',
      ({ target }) => {
        if (target instanceof HTMLButtonElement && target.type === 'submit')
          queueMicrotask(() => target.click())
      },
      { once: true },
    )
  })
  release()
  await expect(page.getByRole('button', { name: 'Set to 247 licenses' })).toBeFocused()
  await expect(page.getByText('182 of 240')).toBeVisible()
  await expect(quantity(page)).toHaveValue('247')
})
