import { expect, test } from '@playwright/test'
import { asset, newCustomer } from '../admin.ts'
import { signIn } from '../browser.ts'

test('a member with too many changes in a minute sees the limit and the wait', async ({ page }) => {
  const customer = await newCustomer('hasty')
  await customer.importAssets([
    asset('workspace-suite-1', 'Business Plus', { purchased: 240, assigned: 182 }),
    asset('workspace-suite-2', 'Enterprise Standard', { purchased: 60, assigned: 50 }),
  ])
  await customer.limits('--changes', '1')
  await signIn(page, await customer.member('Ida Tech', 'it-manager'), '/assets')
  const set = async (name: string, total: number) => {
    const field = page.getByRole('spinbutton', { name: `Licenses of ${name}` })
    await field.fill(String(total))
    await page.getByRole('button', { name: `Set to ${total} licenses` }).click()
  }
  // A minute may end between the two requests.
  await expect.poll(() => new Date().getUTCSeconds(), { intervals: [250] }).toBeLessThan(30)
  await set('Business Plus', 245)
  await expect(page.getByText('Business Plus: 240 → 245 licenses')).toBeHidden()
  await set('Enterprise Standard', 65)
  await expect(page.getByText('Not changed to 65 licenses')).toBeVisible()
  await expect(page.getByText(/may have 1 changes of licenses a minute/)).toBeVisible()
  await expect(page.getByText(/Again in \d+ s|Try again in \d+/i).first()).toBeVisible()
})
