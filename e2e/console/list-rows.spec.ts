import { expect, type Page } from '@playwright/test'
import { asset, invoice, newCustomer } from '../admin.ts'
import { signIn, waitForRows } from '../browser.ts'
import { day } from '../days.ts'
import { test } from '../reused-page.ts'
import { excess } from '../viewports.ts'

// Rows that are visible without scrolling, and their height.

const LAPTOP = { width: 1366, height: 768 }
const PHONE = { width: 360, height: 740 }
/** Lists with the name of their table, and the number of rows that a laptop shows at least. */
const LISTS = [
  ['/invoices', /^Invoices/, 10],
  ['/assets', /^Assets/, 11],
  ['/assets/renewals', /^Renewals/, 8],
  ['/members', /^Members/, 10],
] as const
let admin = ''

test.beforeAll(async () => {
  const customer = await newCustomer('manyrows')
  await customer.profile('emea', 'Manyrows Europe GmbH & Co. KG')
  await customer.profile('apac', 'Manyrows Asia Pacific Pte. Ltd.')
  await customer.importAssets(
    Array.from({ length: 14 }, (_, n) =>
      asset(`${n % 2 ? 'office' : 'workspace'}-suite-${n}`, `Business Plus ${n}`, {
        ...{ purchased: 1240 + n, assigned: 982, status: n === 3 ? 'SUSPENDED' : 'ACTIVE' },
        ...(n > 3 ? { commitmentEnd: `${day(40 + 20 * n)}T00:00:00Z` } : {}),
      }),
    ),
  )
  await customer.importInvoices(
    Array.from({ length: 16 }, (_, n) =>
      invoice(`IN-2036${n + 10}`, {
        ...{ billingProfileId: n % 2 ? 'emea' : 'apac', currency: n % 3 ? 'USD' : 'EUR' },
        ...{ platform: n % 2 ? 'web-services' : 'cloud-platform', totalAmount: `${1204 + n}.5` },
        ...{ invoiceDate: day(-10 * n - 5), dueDate: day(-10 * n + 25) },
      }),
    ),
  )
  for (let n = 0; n < 12; n++)
    await customer.invite(
      `ida.technician-${n}@${customer.domain}`,
      `Ida Technician ${n}`,
      'it-manager',
      'finance-user',
    )
  admin = await customer.member('Ada Min', 'admin')
})

/** Returns the boxes of a table's rows, from the top of the page. */
async function rowBoxes(
  page: Page,
  name: RegExp,
): Promise<{ top: number; bottom: number; height: number }[]> {
  await waitForRows(page)
  await expect(page.getByRole('status').filter({ hasText: 'Adding up' })).toHaveCount(0)
  const rows = page.getByRole('table', { name }).locator('tbody').getByRole('row')
  await expect(rows.first()).toBeVisible()
  return rows.evaluateAll((all) =>
    all.map((row) => {
      const { top, bottom, height } = row.getBoundingClientRect()
      return { top, bottom, height }
    }),
  )
}

for (const [path, name, least] of LISTS)
  test(`a laptop shows ${least} rows of ${path}, and a phone the first`, async ({ page }) => {
    await page.setViewportSize(LAPTOP)
    await signIn(page, admin, path)
    const rows = await rowBoxes(page, name)
    const visible = rows.filter(({ bottom }) => bottom <= LAPTOP.height)
    expect(visible.length).toBeGreaterThanOrEqual(least)
    expect(rows.filter(({ height }) => height < 43.5 || height > 52.5)).toEqual([])
    await page.setViewportSize(PHONE)
    await page.goto(path)
    const [first] = await rowBoxes(page, name)
    const bar = await page.getByRole('navigation', { name: 'Shortcuts' }).boundingBox()
    expect(first?.bottom).toBeLessThanOrEqual(bar?.y ?? 0)
    expect(await excess(page)).toBeLessThanOrEqual(0)
  })
