import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, expect, test } from '@playwright/test'
import { invoice, newCustomer } from '../admin.ts'
import { signIn } from '../browser.ts'
import { dayLabel, onOneDay } from '../days.ts'
import { isolatedEnvironment, startIsolatedApp } from '../isolated-app.ts'

// Server, database and browser are in the first and the last time zone to begin a day: at any time one of the two has
// another date than UTC.
const ENDS = ['Pacific/Kiritimati', 'Pacific/Pago_Pago']

type DayOf = (offset: number) => string

const screens = (day: DayOf) => [
  '/invoices',
  '/invoices?filter=status:PAST%20DUE',
  `/invoices?minCreationTime=${Date.parse(day(-1)) / 1000}&maxCreationTime=${Date.parse(day(-1)) / 1000}`,
  '/invoices/IN-LATE',
  '/invoices/compare?from=IN-LATE&to=IN-TODAY',
  '/invoices/statement',
]

/** Returns the text of each screen, as the browser shows it. */
async function screensIn(browser: Browser, zone: string, day: DayOf): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-zone-'))
  const env = isolatedEnvironment(folder, { TZ: zone })
  const app = await startIsolatedApp(env)
  try {
    const customer = await newCustomer('zones', env)
    await customer.importInvoices([
      invoice('IN-LATE', { invoiceDate: day(-31), dueDate: day(-1) }),
      invoice('IN-TODAY', { invoiceDate: day(-1), dueDate: day(0), totalAmount: '12' }),
      invoice('IN-SOON', { invoiceDate: day(0), dueDate: day(1) }),
    ])
    const finance = await customer.member('Fin Clerk', 'finance-user')
    const context = await browser.newContext({ baseURL: app.url, timezoneId: zone })
    const page = await context.newPage()
    await signIn(page, finance)
    const texts: string[] = []
    for (const screen of screens(day)) {
      await page.goto(screen)
      await page.waitForLoadState('networkidle')
      texts.push(...(await page.getByRole('main').allInnerTexts()))
    }
    // Including texts formatted by the browser.
    await page.goto('/invoices')
    await page.getByRole('button', { name: /^Invoice date/ }).click()
    await page.getByRole('button', { name: 'This month' }).click()
    await expect(page).toHaveURL(/minCreationTime/)
    texts.push(...(await page.getByRole('button', { name: /^Invoice date/ }).allInnerTexts()))
    await context.close()
    return texts
  } finally {
    app.kill('SIGTERM')
    await app.ended
    rmSync(folder, { recursive: true, force: true })
  }
}

test('every screen shows the same days, wherever server, database and browser are', { tag: '@deep' }, async ({
  browser,
}) => {
  const { day, screens: found } = await onOneDay(async () => {
    const today = Date.now()
    const day = (offset: number) => new Date(today + offset * 86_400_000).toISOString().slice(0, 10)
    return { day, screens: await Promise.all(ENDS.map((zone) => screensIn(browser, zone, day))) }
  })
  const [first = [], last] = found
  expect(last).toEqual(first)
  const [list, pastDue, ofDay, one, comparison, statement] = first
  for (const date of [-31, -1, 0, 1]) expect(list).toContain(dayLabel(day(date)))
  expect(list).toContain('1 day late')
  expect(pastDue).toContain('IN-LATE')
  expect(pastDue).not.toContain('IN-TODAY')
  expect([ofDay?.includes('IN-TODAY'), ofDay?.includes('IN-SOON')]).toEqual([true, false])
  expect(one).toContain(`${dayLabel(day(-31))}`)
  expect(one).toContain('Past due 1 day')
  expect(comparison).toContain(dayLabel(day(-1)))
  expect(statement).toContain(`Open balance as of ${dayLabel(day(0))}`)
  expect(statement?.match(/IN-\w+|1 day\b|Not due yet/g)).toEqual(
    expect.arrayContaining(['1 day', 'Not due yet']),
  )
})
