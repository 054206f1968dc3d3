import { expect, type Page } from '@playwright/test'
import { invoice, newCustomer } from '../admin.ts'
import { expectAccessible, expectAccessibleAtBoth } from '../axe-checks.ts'
import {
  addFilter,
  complaints,
  DESKTOP,
  giveSession,
  openSummary,
  PHONE,
  pressEnter,
  pressSlash,
  signIn,
  waitForRows,
} from '../browser.ts'
import { day, dayLabel, sinceThen } from '../days.ts'
import { test } from '../reused-page.ts'

const seconds = (date: string) => Date.parse(`${date}T00:00:00Z`) / 1000
const ODD = 'A/B 7 ü%2F?&é'
const PAST_DUE = {
  platform: 'web-services',
  invoiceDate: day(-51),
  dueDate: day(-21),
  totalAmount: '39004.92',
  balanceAmount: '20000',
  lines: [
    { description: 'Object storage', price: '19.24', qty: '412.6', details: '1 Sep – 30 Sep' },
    { description: 'Network egress', price: '0.02', qty: '96410' },
    { description: 'Support', price: '29138.30', qty: '1' },
  ],
}

let customer: Awaited<ReturnType<typeof newCustomer>>
const people = { finance: '', it: '', nobody: '' }
let key = ''

test.beforeAll(async () => {
  customer = await newCustomer('lateinvoices')
  await customer.importInvoices([
    invoice('IN-900', PAST_DUE),
    invoice('IN-901', { invoiceDate: day(-20), dueDate: day(10), totalAmount: '1200' }),
    invoice('CN-902', { invoiceDate: day(-19), dueDate: day(11), totalAmount: '-312.48' }),
    invoice('IN-903', { invoiceDate: day(-18), dueDate: day(12), currency: 'JPY', totalAmount: '85300' }),
    invoice(ODD, {
      platform: 'own-slug',
      invoiceDate: day(-17),
      dueDate: day(13),
      totalAmount: '10.50',
      balanceAmount: '12',
      lines: [{ description: '<b>Bold</b> claims', price: '1', qty: '10' }],
    }),
    invoice('IN-LONG', {
      invoiceDate: day(-16),
      dueDate: day(14),
      totalAmount: '1500',
      lines: Array.from({ length: 1500 }, (_, index) => ({
        description: `Line ${index}`,
        price: '1',
        qty: '1',
      })),
    }),
    ...Array.from({ length: 110 }, (_, index) =>
      invoice(`OLD-${1000 + index}`, {
        invoiceDate: day(-400 - index),
        dueDate: day(-370 - index),
        balanceAmount: '0',
      }),
    ),
  ])
  people.finance = await customer.member('Fin Clerk', 'finance-user')
  people.it = await customer.member('Ida Tech', 'it-manager')
  key = await customer.key('finance-user')
  const empty = await newCustomer('noinvoices')
  people.nobody = await empty.member('Nora New', 'finance-user')
})

/** Returns the numbers of the list's rows. */
async function numbers(page: Page): Promise<string[]> {
  await waitForRows(page)
  return page
    .getByRole('table', { name: /^Invoices/ })
    .getByRole('rowheader')
    .getByRole('link')
    .allInnerTexts()
}

/** Returns the API's answer to the screen's query string, by key. */
async function answered(page: Page): Promise<string[]> {
  const { search, origin } = new URL(page.url())
  const headers = { Authorization: `Bearer ${key}` }
  const response = await page.request.get(`${origin}/billing/v1/invoices${search}`, { headers })
  return (await response.json()).invoices.map(({ id }: { id: string }) => id)
}

test('a finance clerk finds late invoices, reads one, and returns to the same view', async ({ page }) => {
  await signIn(page, people.finance, '/invoices')
  await expect(page).toHaveURL('/invoices')
  await expect(page.getByText('116 invoices · 115 in USD · 1 in JPY')).toBeVisible()
  await openSummary(page)
  await expect(page.getByRole('row', { name: /^JPY 85,300 JPY.*1 invoice/ })).toBeVisible()
  await page.getByRole('button', { name: 'Past due', exact: true }).click()
  await expect(page).toHaveURL('/invoices?filter=status:PAST%20DUE')
  await expect(page.getByText('1 invoice · total 39,004.92 USD · balance 20,000.00 USD')).toBeVisible()
  await expect(page.getByText(sinceThen((days) => `${21 + days} days late`))).toBeVisible()
  await page.getByRole('link', { name: 'IN-900' }).click()
  await expect(page.getByRole('heading', { name: 'IN-900' })).toBeVisible()
  await expect(page.getByText(sinceThen((days) => `Past due ${21 + days} days`))).toBeVisible()
  await expect(page.getByRole('definition').filter({ hasText: dayLabel(day(-51)) })).toBeVisible()
  const line = page.getByRole('row', { name: /Object storage/ }).first()
  await expect(line.getByRole('rowheader')).toHaveText(/Object storage/)
  await expect(line.getByRole('cell')).toHaveText(['1 Sep – 30 Sep', '412.6', '19.24', '7,938.42'])
  await expect(page.getByText('Payments and credits').first()).toBeVisible()
  const payments = page.getByRole('table', { name: 'Payments and credits' })
  await expect(payments.getByRole('row', { name: /Balance reported by the issuer/ })).toContainText(
    '−19,004.92',
  )
  await expect(page.getByText(/add up to the total/)).toBeHidden()
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Invoices' }).click()
  await expect(page).toHaveURL('/invoices?filter=status:PAST%20DUE')
  await expect.poll(() => numbers(page)).toEqual(['IN-900'])
})

test('the address, the screen and the API agree on invoices', async ({ page }) => {
  await giveSession(page.context(), people.finance)
  for (const [search, rows] of [
    ['', 50],
    ['?filter=platform:web-services|own-slug', 2],
    ['?filter=platform%3Aweb-services%7Cstatus%3APAST%20DUE', 1],
    [`?minCreationTime=${seconds(day(-20))}&maxCreationTime=${seconds(day(-17))}`, 4],
    ['?search=old-10', 50],
    ['?search=in-9&filter=status:open|Past due', 3],
    [`?filter=dueDate:${seconds(day(-21)) * 1000}`, 1],
    ['?maxResults=7', 7],
    ['?filter=platform:nothing-like-it', 0],
  ] as const) {
    await page.goto(`/invoices${search}`)
    const listed = await numbers(page)
    expect(listed).toHaveLength(rows)
    expect(listed).toEqual(await answered(page))
  }
})

test('each filter is shown once, where it is set, and removed there or with all others', async ({ page }) => {
  await signIn(page, people.finance, '/invoices')
  await addFilter(page, 'Platform')
  await page.getByRole('checkbox', { name: 'Web services' }).check()
  await page.getByRole('checkbox', { name: 'Own slug' }).check()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Invoice date/ }).click()
  await page.getByLabel('From').fill(day(-60))
  await expect(page.getByLabel('From')).toHaveAccessibleDescription(/^\d{1,2} [A-Z][a-z]{2} \d{4}$/)
  await page.getByLabel('To', { exact: true }).fill(day(-61))
  await expect(page.getByRole('alert').filter({ hasText: 'Ends before it starts' })).toBeAttached()
  await expect(page.getByRole('button', { name: 'Apply' })).toBeDisabled()
  await page.getByLabel('To', { exact: true }).fill(day(-30))
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(page).toHaveURL(
    new RegExp(`minCreationTime=${seconds(day(-60))}&maxCreationTime=${seconds(day(-30))}`),
  )
  await expect.poll(() => numbers(page)).toEqual(['IN-900'])
  await expect.poll(() => answered(page)).toEqual(['IN-900'])
  const chips = page.getByRole('search', { name: 'Filters' })
  await expect(chips.getByRole('button', { name: /^Remove filter/ })).toHaveCount(2)
  await chips.getByRole('button', { name: 'Remove filter: 2 platforms' }).click()
  await expect(chips.getByRole('button', { name: /^Remove filter/ })).toHaveCount(1)
  await expect(page.getByRole('button', { name: 'Add filter' })).toBeFocused()
  await chips.getByRole('button', { name: 'Clear all' }).click()
  await expect(page).toHaveURL('/invoices')
  await expect.poll(() => numbers(page)).toHaveLength(50)
  await page.goBack()
  await expect.poll(() => numbers(page)).toEqual(['IN-900'])
})

test('the pages contain every invoice once, in both directions', async ({ page }) => {
  await signIn(page, people.finance, '/invoices')
  const pages = [await numbers(page)]
  for (const size of [50, 16]) {
    const last = pages.at(-1)
    await page.getByRole('link', { name: 'Older' }).click()
    await expect
      .poll(async () => [(await numbers(page)).length, (await numbers(page))[0] !== last?.[0]])
      .toEqual([size, true])
    pages.push(await numbers(page))
    await expect.poll(() => answered(page)).toEqual(pages.at(-1))
  }
  await expect(page.getByRole('link', { name: 'Older' })).toHaveCount(0)
  expect(new Set(pages.flat()).size).toBe(116)
  await page.getByRole('link', { name: 'Newer' }).click()
  await expect.poll(() => numbers(page)).toEqual(pages[1])
})

test('an invoice has an odd number, an amount that is not itemized, and its neighbours in the list', async ({
  page,
}) => {
  await signIn(page, people.finance, '/invoices')
  await page.getByRole('link', { name: ODD }).click()
  await expect(page.getByRole('heading', { name: ODD })).toBeVisible()
  await expect(page.getByText('<b>Bold</b> claims')).toBeVisible()
  await expect(page.getByText('Not itemized: 0.50 USD')).toBeVisible()
  await expect(page.getByText('Added after issue').first()).toBeVisible()
  await page.getByRole('link', { name: 'Newer' }).click()
  await expect(page.getByRole('heading', { name: 'IN-LONG' })).toBeVisible()
  await expect(page.getByRole('row')).toHaveCount(101)
  await expect(page.getByText('1,500 lines')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Newer' })).toHaveCount(0)
})

test('the PDF is saved under the invoice number, at any host of the console', async ({ page }) => {
  await signIn(page, people.finance, `/invoices/${encodeURIComponent(ODD)}`)
  await expect(page.getByRole('link', { name: 'Download PDF' })).toHaveAttribute('href', /^\/billing\/v1\//)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download PDF' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^A.B 7 ü.*\.pdf$/)
  const chunks: Buffer[] = []
  for await (const chunk of await download.createReadStream()) chunks.push(chunk)
  const bytes = Buffer.concat(chunks).toString('latin1')
  expect(bytes.slice(0, 5)).toBe('%PDF-')
  expect(bytes.trimEnd().endsWith('%%EOF')).toBe(true)
})

test('the copied command returns the rows on the screen', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signIn(page, people.finance, '/invoices?filter=status:OPEN&search=in-')
  const rows = await numbers(page)
  await page.getByRole('button', { name: 'Copy as request' }).click()
  await expect(page.getByText('Copied', { exact: true })).toBeAttached()
  const line = await page.evaluate(() => navigator.clipboard.readText())
  const url = /^curl -H "Authorization: Bearer \$API_KEY" '(.*)'$/.exec(line)?.[1] ?? ''
  const response = await page.request.get(url, { headers: { Authorization: `Bearer ${key}` } })
  expect((await response.json()).invoices.map(({ id }: { id: string }) => id)).toEqual(rows)
})

test('billing profiles have their own screen, by keyboard too', async ({ page }) => {
  await signIn(page, people.finance, '/invoices')
  await page.getByRole('link', { name: 'Billing profiles' }).press('Enter')
  await expect(page).toHaveURL('/invoices/profiles')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Billing profiles')
})

test('the invoices can be used by keyboard only', async ({ page }) => {
  await signIn(page, people.finance, '/invoices')
  await pressSlash(page)
  await page.keyboard.type('in-90')
  await expect.poll(() => numbers(page)).toEqual(['IN-903', 'IN-901', 'IN-900'])
  // All, Open, Past due, Paid, Credit notes, and then the dates.
  for (let steps = 0; steps < 6; steps++) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'This year' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: /^Invoice date/ })).toBeFocused()
  for (let steps = 0; steps < 3; steps++) await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Space')
  await expect.poll(() => numbers(page)).toEqual(['IN-900'])
  await pressEnter(page.getByRole('link', { name: 'IN-900' }))
  await expect(page.getByRole('heading', { name: 'IN-900' })).toBeVisible()
})

test('the previous rows stay while new ones are loading', async ({ page }) => {
  await signIn(page, people.finance, '/invoices')
  let release = () => {}
  const blocked = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/_rsc=/, async (route) => {
    await blocked
    await route.continue()
  })
  const pastDueHeader = page.getByRole('button', { name: 'Past due', exact: true })
  await pastDueHeader.click()
  await expect(pastDueHeader).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByRole('table', { name: /^Invoices/ })).toHaveAttribute('aria-busy', 'true')
  expect(await numbers(page)).toHaveLength(50)
  release()
  await expect.poll(() => numbers(page)).toEqual(['IN-900'])
})

test('missing rows have different texts, each with a way out', async ({ page }) => {
  await giveSession(page.context(), people.finance)
  for (const search of [
    'filter=color:red',
    'filter=status:lost',
    'pageToken=nonsense',
    'minCreationTime=yesterday',
    'search=a&search=b',
  ]) {
    await page.goto(`/invoices?${search}`)
    const reason = /is not valid|a filter we don’t recognize/
    await expect(page.getByRole('alert').filter({ hasText: reason })).toBeVisible()
  }
  await page.getByRole('link', { name: 'Show all invoices' }).click()
  await expect(page.getByText('116 invoices')).toBeVisible()
  await page.goto('/invoices?search=zzz')
  await expect(page.getByText('Nothing matches')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(page).toHaveURL('/invoices')
  expect((await page.goto('/invoices/no-such-number'))?.status()).toBe(404)
  await expect(page.getByText('Page not found')).toBeVisible()
})

test('an empty list has a placeholder; a role without the permission sees the required one', async ({
  page,
  browser,
}) => {
  await signIn(page, people.nobody, '/invoices')
  await expect(page.getByText('No invoices yet')).toBeVisible()
  // An empty list has no figures.
  await expect(page.getByRole('region', { name: /Figures|Billed/ })).toHaveCount(0)
  const other = await browser.newPage()
  await giveSession(other.context(), people.it)
  for (const path of ['/invoices', '/invoices/IN-900']) {
    await other.goto(path)
    await expect(other.getByText('This page needs the role Finance User or Admin.')).toBeVisible()
  }
  await expect(other.getByText('39,004.92')).toHaveCount(0)
  await other.close()
})

test('axe finds nothing on a desk or a phone, and nothing sticks out', { tag: '@deep' }, async ({ page }) => {
  const problems = complaints(page)
  await signIn(page, people.finance, '/invoices')
  await expectAccessibleAtBoth(page)
  for (const path of [
    `/invoices?filter=platform:web-services|status:PAST%20DUE&minCreationTime=${seconds(day(-60))}&search=IN`,
    '/invoices?search=zzz',
    '/invoices?filter=color:red',
    '/invoices/IN-900',
    `/invoices/${encodeURIComponent(ODD)}`,
  ]) {
    await page.goto(path)
    await expectAccessibleAtBoth(page)
  }
  for (const viewport of [DESKTOP, PHONE]) {
    await page.setViewportSize(viewport)
    await page.goto('/invoices')
    // On a phone the filters are behind a button.
    if (viewport === PHONE) await page.getByRole('button', { name: 'Filters', exact: true }).click()
    await page.getByRole('button', { name: /^Invoice date/ }).click()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Last quarter' }).click()
    await addFilter(page, 'Platform')
    await expectAccessible(page)
  }
  expect(problems).toEqual([])
})
