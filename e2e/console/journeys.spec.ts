import { readFileSync } from 'node:fs'
import { type BrowserContextOptions, expect, type Page, test } from '@playwright/test'
import { readXlsx } from 'hucre/xlsx'
import { asset, invoice, newCustomer } from '../admin.ts'
import { clipboardText, complaints, PHONE, signIn, waitForHydration, waitForRows } from '../browser.ts'
import { clicksOf, countClicks } from '../clicks.ts'
import { day, monthBefore } from '../days.ts'
import { byKeyboard, byMouse, byTouch, type InputDriver } from '../input-driver.ts'

// Main journeys, each from home to its end, by each input device: docs/evidence/clicks.md has the allowed clicks and their
// definition.

let customer: Awaited<ReturnType<typeof newCustomer>>
let email = ''
/** Returns a day in the month some months before the present one. */
const inMonth = (months: number) =>
  new Date(monthBefore(months).getTime() + 9 * 86_400_000).toISOString().slice(0, 10)
const monthName = (months: number) =>
  monthBefore(months).toLocaleString('en', { month: 'long', timeZone: 'UTC' })
/** Day in the second month of the calendar quarter before this one. */
const QUARTER = inMonth((new Date(day(0)).getUTCMonth() % 3) + 2)
const line = (description: string, price: string, qty = '1') => ({ description, price, qty })

const ARCHIVE = 'workspace-suite-9'
/** Time in the second month of the next calendar quarter. */
const NEXT_QUARTER = `${inMonth((new Date(day(0)).getUTCMonth() % 3) - 4)}T00:00:00Z`

/** Plan for each input device: the journeys must not see each other's changes. */
const PLANS = { mouse: 'Business Plus', keyboard: 'Frontline Starter', phone: 'Enterprise Standard' }
type InputMethod = keyof typeof PLANS

test.beforeAll(async () => {
  customer = await newCustomer('journeys')
  await customer.profile('emea', 'Journeys Europe B.V.')
  await customer.importAssets([asset(ARCHIVE, 'Archive', { purchased: 35, assigned: 30 })])
  await customer.importAssets(
    Object.values(PLANS).flatMap((name, n) => [
      asset(`workspace-suite-${n}`, name, { purchased: 7, assigned: 6 }),
      asset(`office-suite-${n}`, `${name} annual`, {
        ...{ purchased: 120, assigned: 90, commitmentEnd: '2098-12-03T00:00:00Z' },
      }),
    ]),
  )
  await customer.importAssets(
    [
      asset(ARCHIVE, 'Archive', { purchased: 40, assigned: 30 }),
      asset('office-suite-9', 'Quarterly', { purchased: 20, commitmentEnd: NEXT_QUARTER }),
    ],
    '--replace',
  )
  await customer.addSamples([[ARCHIVE, 120, 40, 30]])
  const paid = { dueDate: day(10), balanceAmount: '0' }
  await customer.importInvoices([
    invoice('LATE', { invoiceDate: inMonth(7), dueDate: day(-30), totalAmount: '2480' }),
    invoice('EU-DUE', { billingProfileId: 'emea', invoiceDate: inMonth(7), dueDate: day(-30) }),
    // Equal in both months: they explain nothing.
    ...[1, 2].map((months) =>
      invoice(`SEATS-${months}`, {
        ...{ ...paid, invoiceDate: inMonth(months), platform: 'workspace-suite', totalAmount: '720' },
        lines: [line('Archive', '18', '40')],
      }),
    ),
    invoice('QUARTER', {
      ...{ ...paid, invoiceDate: QUARTER, totalAmount: '70' },
      lines: [line('Backup vault', '20', '2'), line('Audit log', '30')],
    }),
    invoice('BEFORE', {
      ...{ ...paid, invoiceDate: inMonth(2), totalAmount: '400' },
      lines: [line('Compute', '400')],
    }),
    invoice('LAST', {
      ...{ ...paid, invoiceDate: inMonth(1), totalAmount: '430' },
      lines: [line('Compute', '400'), line('Backup vault', '30')],
    }),
  ])
  email = await customer.member('Ana Ruiz', 'admin')
})

/** Opens a screen that the command palette finds by a text. */
async function open({ page, find, type }: At, text: string) {
  await find()
  await type(page.getByRole('combobox', { name: 'Search assets' }), text)
  await page.keyboard.press('Enter')
}

type At = InputDriver & { page: Page; method: InputMethod }

const JOURNEYS: Record<string, { most: number; go: (at: At) => Promise<void> }> = {
  'adds 5 licenses': {
    most: 2,
    async go({ page, method, find, type, press }) {
      await find()
      const name = PLANS[method]
      await type(page.getByRole('combobox', { name: 'Search assets' }), `${name} 12`)
      await expect(page.getByRole('option', { name: `${name}: 7 → 12` })).toBeVisible()
      await page.keyboard.press('Enter')
      await press(page.getByRole('button', { name: 'Set to 12 licenses' }))
      await expect(page.getByRole('status').getByText(`${name}: 7 → 12 licenses`)).toBeVisible()
      const id = `workspace-suite-${Object.keys(PLANS).indexOf(method)}`
      const { properties } = await (await page.request.get(`/billing/v1/assets/${id}`)).json()
      expect(properties.subscription.Seats.NumberOfSeats).toBe(12)
    },
  },
  'lowers an annual plan as far as it can be': {
    most: 3,
    async go({ page, method, go, type, press }) {
      const name = `${PLANS[method]} annual`
      await go('Assets')
      await type(page.getByRole('spinbutton', { name: `Licenses of ${name}` }), '96')
      await expect(page.getByText('can’t go below 120 licenses before 3 Dec 2098')).toBeVisible()
      await press(page.getByRole('button', { name: 'Renew with 96 licenses on 3 Dec 2098' }))
      await expect(page.getByText('Ordered: 96 licenses from 3 Dec 2098.')).toBeVisible()
      const id = `office-suite-${Object.keys(PLANS).indexOf(method)}`
      const { order } = await (await page.request.get(`/billing/v1/assets/${id}/renewal`)).json()
      expect(order.quantity).toBe(96)
    },
  },
  'finds what is past due': {
    most: 1,
    async go({ page, press }) {
      await press(page.getByRole('link', { name: 'Show the invoice: journeys Ltd' }))
      await expect(page).toHaveURL(/\/invoices\?filter=status:PAST/)
      await waitForRows(page)
      const rows = page.getByRole('table', { name: /^Invoices/ }).getByRole('rowheader')
      await expect(rows).toHaveText([/LATE/])
    },
  },
  'takes the lines of the last quarter': {
    most: 3,
    async go({ page, go, press }) {
      await go('Invoices')
      await press(page.getByRole('button', { name: 'Export', exact: true }))
      const link = page.getByRole('link', { name: 'Last quarter’s lines' })
      const [file] = await Promise.all([page.waitForEvent('download'), press(link)])
      const [, from = '', to = ''] =
        /^invoice-lines-(\d{4}-\d\d-01)-to-(\d{4}-\d\d-3[01])\.xlsx$/.exec(file.suggestedFilename()) ?? []
      const { sheets } = await readXlsx(readFileSync(await file.path()))
      const [names = [], ...rows] = sheets[0]?.rows ?? []
      const column = (name: string) => names.indexOf(name)
      const lines = rows.filter((row) => row[column('Invoice number')] === 'QUARTER')
      expect(lines.map((row) => [row[column('Product')], row[column('Total')]])).toEqual([
        ['Backup vault', 40],
        ['Audit log', 30],
      ])
      const dates = rows
        .filter((row) => row[column('Invoice date')])
        .map((row) => new Date(row[column('Invoice date')] as Date).toISOString().slice(0, 10))
      expect(dates.filter((date) => date < from || date > to)).toEqual([])
    },
  },
  'sees unused licenses and their cost': {
    most: 1,
    async go({ page, go }) {
      await go('Assets')
      await expect(page.getByRole('row', { name: 'Archive' })).toContainText('5 unused: 90.00 USD/mo')
    },
  },
  'sees the renewals of the next quarter': {
    most: 2,
    async go(at) {
      await open(at, 'next quarter')
      await expect(at.page.getByRole('status').filter({ hasText: /^1 plan in Q[1-4] \d{4}$/ })).toBeVisible()
      await expect(at.page.getByRole('table', { name: 'Renewals' }).getByRole('rowheader')).toHaveText([
        /^Quarterly/,
      ])
    },
  },
  'invites someone for one company': {
    most: 6,
    async go(at) {
      const { page, method, press, type } = at
      await open(at, 'members')
      await press(page.getByRole('button', { name: 'Invite a member' }))
      const dialog = page.getByRole('dialog')
      await expect(dialog.getByLabel('Email address')).toBeFocused()
      await page.keyboard.type(`${method}@${customer.domain}`)
      await type(dialog.getByLabel('Name'), `By ${method}`)
      await press(dialog.getByRole('checkbox', { name: /Finance User/ }))
      await press(dialog.getByRole('checkbox', { name: /Journeys Europe/ }))
      await press(dialog.getByRole('button', { name: 'Invite', exact: true }))
      await expect(page.getByRole('dialog', { name: `By ${method} is invited` })).toBeVisible()
      const { members } = await (await page.request.get(`/billing/v1/members?search=By ${method}`)).json()
      expect(members).toMatchObject([{ roles: ['finance-user'], billingProfiles: ['emea'] }])
    },
  },
  'creates a key, and copies a curl line that lists invoices': {
    most: 5,
    async go(at) {
      const { page, method, press, type } = at
      await open(at, 'API keys')
      await press(page.getByRole('button', { name: 'Create key' }))
      const dialog = page.getByRole('dialog')
      await type(dialog.getByLabel('Name'), `ERP by ${method}`)
      await press(dialog.getByRole('button', { name: 'Create key' }))
      await press(page.getByRole('button', { name: 'Copy as curl' }))
      // The clipboard may still have the line of another key.
      const key = await dialog.getByText(/^lic_/).textContent()
      const text = await clipboardText(page, new RegExp(`^curl .*${key}.*/invoices`))
      const [, authorization = '', url = ''] = /^curl -H "Authorization: (.*)" '(.*)'$/.exec(text) ?? []
      const answer = await fetch(url, { headers: { authorization } })
      expect((await answer.json()).invoices).not.toHaveLength(0)
    },
  },
  'sees who changed what last week': {
    most: 2,
    async go(at) {
      await open(at, 'last week')
      // On phones the chip is behind the button Filters.
      await expect(at.page).toHaveURL(/\/activity\?(.*&)?minCreationTime=\d+/)
      const changed = at.page.getByRole('row', { name: 'Archive' })
      await expect(changed).toContainText('Operator')
      await expect(changed).toContainText('40')
    },
  },
  'explains the last month': {
    most: 2,
    async go({ page, go, press }) {
      await go('Invoices')
      await press(page.getByRole('link', { name: ` on ${monthName(2)}` }))
      await expect(page.getByRole('heading', { level: 1 })).toContainText(`vs. ${monthName(2)}`)
      const causes = page.getByRole('table', { name: 'Causes in USD', exact: true })
      await expect(causes.getByRole('row', { name: 'Backup vault' })).toContainText('+30.00')
    },
  },
}

const DRIVERS: Record<InputMethod, { hands: (page: Page) => InputDriver; how: BrowserContextOptions }> = {
  mouse: { hands: byMouse, how: {} },
  keyboard: { hands: byKeyboard, how: {} },
  phone: { hands: byTouch, how: { viewport: PHONE, hasTouch: true, isMobile: true } },
}

for (const [name, { hands, how }] of Object.entries(DRIVERS))
  for (const [journey, { most, go }] of Object.entries(JOURNEYS))
    test(`${journey}: ${name}, ${most} at most`, { tag: name === 'mouse' ? [] : '@deep' }, async ({
      browser,
      baseURL,
    }) => {
      const context = await browser.newContext({
        ...{ baseURL: baseURL ?? '', reducedMotion: 'reduce', ...how },
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      const page = await context.newPage()
      await countClicks(page)
      const pageErrors = complaints(page)
      await signIn(page, email)
      await waitForHydration(page)
      expect(await clicksOf(page)).toBe(0)
      await go({ page, method: name as InputMethod, ...hands(page) })
      const clicks = await clicksOf(page)
      expect(clicks).toBeGreaterThan(0)
      expect(clicks).toBeLessThanOrEqual(most)
      expect(pageErrors).toEqual([])
      await context.close()
    })
