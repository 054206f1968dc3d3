import { expect, type Page, test } from '@playwright/test'
import { asset, invoice, newCustomer } from '../admin.ts'
import { signIn, waitForRows } from '../browser.ts'
import { day } from '../days.ts'
import { applyViewport, excess } from '../viewports.ts'

// Rows that are visible without scrolling, their height, and the frame that all lists share.

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

/** Lists whose filters and tools are in the same bar. */
const SCREENS: string[] = [
  ...LISTS.map(([path]) => path),
  ...['/keys', '/activity', '/activity/events', '/invoices/statement', '/invoices/explain'],
]

/** Screens whose tables have a header in each row. */
const TABLES = [
  ...['/assets', '/assets/workspace-suite-0', '/invoices', '/invoices/IN-203610', '/invoices/statement'],
  '/invoices/compare?from=IN-203612&to=IN-203618',
  ...['/activity/events', '/members', '/sessions'],
]
/** Screens of the same width. */
const WIDE = [...SCREENS, '/', '/sessions', '/notifications', '/sign-on']

test('each list has its filters, then its tools, in the same order, and each row of a table a header', async ({
  page,
}) => {
  await page.setViewportSize(LAPTOP)
  await signIn(page, admin)
  const sequence = ['Views', 'Columns', 'Order', 'Export', 'Print', 'Copy as request']
  const edges = new Set<string>()
  for (const path of new Set([...WIDE, ...TABLES])) {
    await page.setViewportSize(LAPTOP)
    await page.goto(path)
    await waitForRows(page)
    if (SCREENS.includes(path)) {
      const bar = page.getByRole('search', { name: 'Filters' })
      const tools = bar.getByRole('group', { name: 'Tools' }).getByRole('button')
      await expect(tools.last()).toBeVisible()
      const names = await tools.evaluateAll((all) =>
        all.map((one) => (one.getAttribute('aria-label') ?? one.textContent ?? '').replace(/:.*/, '')),
      )
      const positions = names.map((name) => sequence.indexOf(name))
      expect([path, positions.includes(-1), positions]).toEqual([
        path,
        false,
        positions.toSorted((a, b) => a - b),
      ])
      const [barBox, headingBox] = [
        await bar.boundingBox(),
        await page.getByRole('heading', { level: 1 }).boundingBox(),
      ]
      expect(headingBox?.y ?? 0).toBeLessThan(barBox?.y ?? 0)
    }
    if (TABLES.includes(path)) {
      const rows = page.locator('main tbody tr')
      await expect(rows).not.toHaveCount(0)
      expect([path, await rows.filter({ hasNot: page.locator('th[scope=row]') }).count()]).toEqual([path, 0])
    }
    if (!WIDE.includes(path)) continue
    // Every screen has the same content width on a wide window.
    await applyViewport(page, { name: 'wide', width: 2560, height: 1300 })
    const box = await page.locator('main').boundingBox()
    edges.add(`${box?.x} ${box?.width}`)
  }
  expect([...edges]).toHaveLength(1)
})
