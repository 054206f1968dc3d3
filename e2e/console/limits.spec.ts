import { expect } from '@playwright/test'
import { asset, newCustomer } from '../admin.ts'
import { signIn } from '../browser.ts'
import { test } from '../reused-page.ts'

test('a member with too many changes in a minute sees the limit and the wait', async ({ page }) => {
  const customer = await newCustomer('hasty')
  await customer.importAssets([
    asset('workspace-suite-1', 'Business Plus', { purchased: 240, assigned: 182 }),
    asset('workspace-suite-2', 'Enterprise Standard', { purchased: 60, assigned: 50 }),
  ])
  await customer.limits('--changes', '1')
  await signIn(page, await customer.member('Ida Tech', 'it-manager'), '/assets')
  const rejection = page.getByRole('alert').filter({ hasText: /Not changed to \d+ licenses/ })
  let total = 60
  // Both changes are within the limit if a minute ends between them.
  await expect(async () => {
    total += 1
    const headers = { origin: new URL(page.url()).origin }
    const path = '/billing/v1/assets/workspace-suite-1'
    const answer = await page.request.patch(path, { headers, data: { quantity: 240 + total } })
    expect([200, 429]).toContain(answer.status())
    await page.getByRole('spinbutton', { name: 'Licenses of Enterprise Standard' }).fill(String(total))
    await page.getByRole('button', { name: `Set to ${total} licenses` }).click()
    const done = page.getByRole('status').getByText(`Enterprise Standard: ${total - 1} → ${total} licenses`)
    await expect(rejection.or(done)).toBeVisible()
    await expect(rejection).toBeVisible({ timeout: 1 })
  }).toPass()
  await expect(page.getByText(/may have 1 changes of licenses a minute/)).toBeVisible()
  await expect(page.getByText(/Again in \d+ s|Try again in \d+/i).first()).toBeVisible()
})
