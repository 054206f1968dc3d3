import { expect, type Page } from '@playwright/test'
import { asset, invoice, newCustomer } from '../admin.ts'
import { giveSession, waitForRows } from '../browser.ts'
import { day } from '../days.ts'
import { everyScreen } from '../every-screen.ts'
import { test } from '../reused-page.ts'
import { excess } from '../viewports.ts'

// Every screen in print: customer, content, and amounts of twelve digits on a sheet of A4.

/** Area within the margins of a sheet of A4, in CSS pixels. */
const SHEET = { width: 688, height: 990 }
const LONG = '999999999999.99'
const { signedIn } = everyScreen({ asset: 'workspace-suite-1', invoice: 'IN-2', other: 'IN-1' })
let admin = ''

test.beforeAll(async () => {
  const customer = await newCustomer('paper')
  await customer.profile('default', 'Paper Works GmbH')
  await customer.importAssets([
    asset('workspace-suite-1', 'Business Plus', {
      ...{ purchased: 240, assigned: 182, commitmentEnd: `${day(40)}T00:00:00Z` },
    }),
  ])
  const ages = [-100, -70, -40, -10, 20]
  await customer.profile('emea', 'Paper Works Europe, Middle East and Africa GmbH & Co. KG')
  await customer.importInvoices([
    invoice('EU-1', {
      ...{ invoiceDate: day(-20), dueDate: day(10), platform: 'workspace-suite', totalAmount: LONG },
      ...{ billingProfileId: 'emea', issuer: 'Cloud Distribution B.V.' },
    }),
  ])
  await customer.importInvoices(
    ages.map((due, index) =>
      invoice(`IN-${index + 1}`, {
        ...{ invoiceDate: day(due - 30), dueDate: day(due), platform: 'cloud-platform' },
        totalAmount: index < 2 ? LONG : '1204.5',
      }),
    ),
  )
  admin = await customer.member('Ada Min', 'admin')
})

async function print(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await waitForRows(page)
  await page.setViewportSize(SHEET)
  await page.emulateMedia({ media: 'print' })
}

test('each sheet has its customer and the time of printing, and nothing overflows', { tag: '@deep' }, async ({
  page,
}) => {
  test.slow()
  await giveSession(page.context(), admin)
  const findings: string[] = []
  for (const path of signedIn) {
    await print(page, path)
    const customerName = page
      .locator('main')
      .getByText('paper Ltd', { exact: true })
      .filter({ visible: true })
    if ((await customerName.count()) !== 1)
      findings.push(`${path}: whose it is, ${await customerName.count()} times`)
    if (!(await page.getByText(/^Printed .* UTC$/).isVisible())) findings.push(`${path}: when it was printed`)
    const more = await excess(page)
    if (more > 0) findings.push(`${path}: ${more} px`)
    await page.emulateMedia({ media: 'screen' })
  }
  expect(findings).toEqual([])
})

test('a printed list of invoices and a printed statement keep all columns, with the longest amounts', async ({
  page,
}) => {
  await giveSession(page.context(), admin)
  const columns = ['Invoice', 'Date', 'Billed to', 'Issuer', 'Platform', 'Due', 'Status', 'Total', 'Balance']
  for (const [path, table, names] of [
    ['/invoices', /^Invoices/, columns],
    [
      '/invoices/statement',
      /USD$/,
      ['Invoice', 'Date', 'Platform', 'Due', 'Past due', 'Total', 'Balance, USD'],
    ],
  ] as const) {
    await print(page, path)
    const headers = page.getByRole('table', { name: table }).first().getByRole('columnheader')
    await expect(headers.filter({ visible: true })).toHaveText(names.map((name) => new RegExp(`^${name}`)))
    expect(await excess(page)).toBeLessThanOrEqual(0)
    await page.emulateMedia({ media: 'screen' })
  }
})

test('printed events have their actor, and the printed lines of home are in columns', async ({ page }) => {
  await giveSession(page.context(), admin)
  await print(page, '/activity/events')
  const event = page.getByRole('row', { name: 'Signed in' }).first()
  await expect(event.getByRole('cell').first()).toContainText(/^Ada Min signed in/)
  await expect(event.getByText('Ada Min')).toBeVisible()
  await page.emulateMedia({ media: 'screen' })
  await print(page, '/')
  const amount = page.getByRole('listitem').getByText(/ USD$/).first()
  const { x = 0, width = 0 } = (await amount.boundingBox()) ?? {}
  expect(x + width).toBeGreaterThan(SHEET.width - 40)
})
