import { readFileSync } from 'node:fs'
import { expect, type Page } from '@playwright/test'
import { invoice, newCustomer } from '../admin.ts'
import { expectAccessibleAtBoth } from '../axe-checks.ts'
import { complaints, DESKTOP, exported, giveSession, signIn, waitForRows } from '../browser.ts'
import { day, sinceThen } from '../days.ts'
import { test } from '../reused-page.ts'

const MANY = 300

let customer: Awaited<ReturnType<typeof newCustomer>>
const people = { finance: '', it: '', paid: '', many: '' }

test.beforeAll(async () => {
  customer = await newCustomer('statement')
  await customer.profile('emea', 'Statement Europe B.V.')
  await customer.importInvoices([
    invoice('IN-1', { invoiceDate: day(-130), dueDate: day(-100), totalAmount: '1000.10' }),
    invoice('IN-2', {
      invoiceDate: day(-51),
      dueDate: day(-21),
      totalAmount: '64.5',
      balanceAmount: '20.25',
    }),
    invoice('IN-3', { invoiceDate: day(-20), dueDate: day(10), totalAmount: '1200' }),
    invoice('IN-PAID', { invoiceDate: day(-90), dueDate: day(-60), balanceAmount: '0' }),
    invoice('CN-4', { invoiceDate: day(-19), dueDate: day(-11), totalAmount: '-312.48' }),
    invoice('IN-5', { billingProfileId: 'emea', invoiceDate: day(-70), dueDate: day(-40), totalAmount: '9' }),
    invoice('IN-6', {
      billingProfileId: 'emea',
      currency: 'JPY',
      platform: 'web-services',
      totalAmount: '85300',
      invoiceDate: day(-9),
      dueDate: day(0),
    }),
  ])
  people.finance = await customer.member('Fin Clerk', 'finance-user')
  people.it = await customer.member('Ida Tech', 'it-manager')
  const paid = await newCustomer('paid')
  people.paid = await paid.member('Petra Paid', 'finance-user')
  const many = await newCustomer('manyopen')
  await many.importInvoices(
    Array.from({ length: MANY }, (_, n) =>
      invoice(`M-${n}`, {
        invoiceDate: day(-40),
        dueDate: day(Math.max(-40, n - 200)),
      }),
    ),
  )
  people.many = await many.member('Mo Open', 'finance-user')
})

async function numbers(page: Page): Promise<string[]> {
  await waitForRows(page)
  return page
    .getByRole('row')
    .getByRole('link', { name: /^(IN|CN|M)-/ })
    .allInnerTexts()
}

test('open items match their sums and the API, and one account can be selected', async ({ page }) => {
  await signIn(page, people.finance, '/invoices')
  await page.getByRole('link', { name: 'Statement' }).click()
  await expect(page).toHaveURL('/invoices/statement')
  const sums = page.getByRole('table', { name: 'What is open, by days past due' })
  const cells = (name: RegExp) => sums.getByRole('row', { name }).locator('th, td')
  await expect(cells(/statement Ltd/)).toHaveText(
    [
      /^statement Ltd.*4 open items$/,
      /1,200.00$/,
      /20.25$/,
      '–',
      '–',
      /1,000.10$/,
      /−312.48$/,
      '1,907.87 USD',
    ].map((text) => (text === '–' ? /–$/ : text)),
  )
  await expect(cells(/All in USD/).last()).toHaveText('1,916.87 USD')
  await expect(cells(/85,300/).first()).toHaveText(/Statement Europe/)
  expect(await numbers(page)).toEqual(['IN-6', 'IN-1', 'IN-2', 'CN-4', 'IN-3', 'IN-5'])
  await expect(page.getByRole('row', { name: /CN-4/ })).toContainText('Credit')
  await expect(page.getByRole('row', { name: /IN-1/ })).toContainText(
    sinceThen((days) => `${100 + days} days`),
  )

  await sums.getByRole('link', { name: 'Statement Europe B.V. in USD' }).click()
  await expect.poll(() => numbers(page)).toEqual(['IN-5'])
  await expect(page).toHaveURL(/\?filter=currency:USD\|billingProfile:emea$/)
  const response = await page.request.get(`/billing/v1/statement${new URL(page.url()).search}`)
  const { items, currencies } = await response.json()
  expect([items.map(({ id }: { id: string }) => id), currencies[0].days31To60.amount]).toEqual([['IN-5'], 9])

  const [download] = await Promise.all([page.waitForEvent('download'), exported(page, 'CSV')()])
  expect(download.suggestedFilename()).toMatch(sinceThen((days) => `statement-${day(days)}.csv`))
  const lines = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\r\n')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain('USD,emea,Statement Europe B.V.,IN-5,')
  const [pdf] = await Promise.all([page.waitForEvent('download'), exported(page, 'PDF')()])
  expect(pdf.suggestedFilename()).toMatch(/^statement-[\d-]+\.pdf$/)
  expect(readFileSync(await pdf.path(), 'latin1')).toMatch(/^%PDF-1\.7/)

  const chips = page.getByRole('search', { name: 'Filters' })
  await chips.getByRole('button', { name: 'Remove filter: USD' }).click()
  await expect.poll(() => numbers(page)).toEqual(['IN-6', 'IN-5'])
  await page.getByRole('button', { name: /^Platform/ }).click()
  await page.getByRole('checkbox', { name: 'Cloud platform' }).check()
  await expect.poll(() => numbers(page)).toEqual(['IN-5'])
  await page.keyboard.press('Escape')
  await chips.getByRole('button', { name: 'Clear all' }).click()
  await expect(page).toHaveURL('/invoices/statement')
})

test('a statement of more than a page states the rest, and links to it', async ({ page }) => {
  await signIn(page, people.many, '/invoices/statement')
  await expect(page.getByText(`This page has 250 of ${MANY} open items.`)).toBeVisible()
  const first = await numbers(page)
  await page.getByRole('link', { name: 'Next' }).click()
  await expect.poll(async () => (await numbers(page)).length).toBe(50)
  expect(new Set([...first, ...(await numbers(page))]).size).toBe(MANY)
  await page.getByRole('link', { name: 'Previous' }).click()
  await expect.poll(() => numbers(page)).toEqual(first)
})

test('no open items, no matches, an invalid address, and another role each have their page', async ({
  page,
}) => {
  await signIn(page, people.paid, '/invoices/statement')
  await expect(page.getByText('Nothing is open', { exact: true })).toBeVisible()
  await page.goto('/invoices/statement?filter=currency:EUR')
  await expect(page.getByText('Nothing is open here')).toBeVisible()
  await page.goto('/invoices/statement?filter=color:red')
  await expect(page.getByText('can be of these only: billingProfile, platform, currency')).toBeVisible()
  await page.context().clearCookies()
  await signIn(page, people.it, '/invoices/statement')
  await expect(page.getByText('This page needs the role Finance User or Admin.')).toBeVisible()
})

test('the statement is good on a desk and on a phone', { tag: '@deep' }, async ({ page }) => {
  const problems = complaints(page)
  await signIn(page, people.finance, '/invoices/statement')
  await expectAccessibleAtBoth(page)
  await page.setViewportSize(DESKTOP)
  await page.getByRole('button', { name: /^Billing profile/ }).click()
  await expectAccessibleAtBoth(page)
  expect(problems).toEqual([])
})

const SHEETS = [
  ['/invoices', 'Invoices', 'Billing profiles: statement Ltd, Statement Europe B.V.'],
  ['/invoices?filter=status:OPEN', 'Invoices', 'Open'],
  ['/invoices/IN-5', 'IN-5', 'Billed to Statement Europe B.V.'],
  ['/invoices/statement', 'Statement', 'Billing profiles: statement Ltd, Statement Europe B.V.'],
  ['/invoices/statement?filter=billingProfile:emea', 'Statement', 'Billing profile: Statement Europe B.V.'],
] as const

test('a sheet is black on white, has the customer and the time of printing, and no controls', async ({
  page,
}) => {
  await giveSession(page.context(), people.finance)
  await page.context().addCookies([{ name: 'theme', value: 'dark', url: process.env.E2E_BASE_URL as string }])
  for (const [path, title, note] of SHEETS) {
    await page.emulateMedia({ media: 'screen' })
    await page.goto(path)
    await expect(page.getByText(/^Printed/)).toBeHidden()
    await page.emulateMedia({ media: 'print' })
    await expect(page.getByText(/^Printed \d+ \w+ \d+, \d\d:\d\d UTC$/)).toBeVisible()
    await expect(
      page.getByText('statement Ltd', { exact: true }).filter({ visible: true }).first(),
    ).toBeVisible()
    await expect(page.getByText(note, { exact: true }).filter({ visible: true }).first()).toBeVisible()
    await expect(page.getByRole('heading', { name: title, exact: true })).toBeVisible()
    await expect(page.getByRole('banner')).toBeHidden()
    for (const role of ['button', 'textbox', 'searchbox', 'checkbox', 'navigation'] as const)
      await expect(page.getByRole(role)).toHaveCount(0)
    const styles = await page.evaluate(() => {
      const { backgroundColor, color } = getComputedStyle(document.body)
      const table = [...document.querySelectorAll('main table')].at(-1)
      const around: string[] = []
      for (let box = table?.parentElement; box; box = box.parentElement)
        around.push(getComputedStyle(box).overflow)
      const header = table?.querySelector('thead')
      const row = table?.querySelector('tbody tr')
      return {
        backgroundColor,
        color,
        cut: around.filter((overflow) => overflow !== 'visible'),
        headerDisplay: header && getComputedStyle(header).display,
        row: row && [getComputedStyle(row).display, getComputedStyle(row).breakInside],
      }
    })
    expect(styles).toEqual({
      backgroundColor: 'rgb(255, 255, 255)',
      color: 'rgb(0, 0, 0)',
      cut: [],
      headerDisplay: 'table-header-group',
      row: ['table-row', 'avoid'],
    })
  }
})

test('a long statement has as many sheets as needed, and the time of its printing', {
  tag: '@deep',
}, async ({ page }) => {
  await signIn(page, people.many, '/invoices/statement')
  await page.evaluate(() => {
    Date.now = () => Date.UTC(2031, 0, 31, 23, 59, 59)
  })
  const date = '31 Jan 2031'
  await expect(async () => {
    const sheets = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type \/Page\b/g)
    expect(sheets?.length).toBeGreaterThan(4)
    expect(sheets?.length).toBeLessThan(12)
    // Once the page's own script has run.
    await expect(page.getByText(/^Printed/)).toContainText(date, { timeout: 1000 })
  }).toPass()
})
