import { expect, type Locator, type Page } from '@playwright/test'
import { asset, invoice, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { addFilter, giveSession, PHONE, signIn, waitForRows } from '../browser.ts'
import { day } from '../days.ts'
import { test } from '../reused-page.ts'

// Operation of the screens by any input device or screen reader; and their appearance in print and in forced colors.

const LONG = '999999999999.99'
const member = { all: '' }

test.beforeAll(async () => {
  const customer = await newCustomer('ways')
  await customer.profile('default', 'Ways Ltd')
  await customer.importAssets([
    asset('workspace-suite-1', 'Business Plus', { purchased: 240, assigned: 182 }),
    asset('office-suite-1', 'Annual', { purchased: 10, assigned: 2, commitmentEnd: '2099-03-01T00:00:00Z' }),
    asset('cloud-platform-1', 'Production'),
  ])
  await customer.importInvoices([
    invoice('IN-1', { invoiceDate: day(-70), dueDate: day(-40), totalAmount: LONG }),
    invoice('IN-2', { invoiceDate: day(-40), dueDate: day(-10), totalAmount: '900000000000.01' }),
    invoice('SR-204836', { invoiceDate: day(-40), dueDate: day(-10), totalAmount: '9962363580' }),
    invoice('CN-3', { invoiceDate: day(-40), dueDate: day(-10), totalAmount: '-15', balanceAmount: '0' }),
  ])
  member.all = await customer.member('Ada Min', 'admin')
})

const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const main = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })
const rowOf = (page: Page, name: string) => page.getByRole('row', { name })

test("a navigation focuses the heading, and the tab's title names the content", async ({ page }) => {
  await signIn(page, member.all, '/assets')
  await waitForRows(page)
  // A full page load leaves the focus to the browser.
  await expect(heading(page)).not.toBeFocused()
  await page.getByRole('link', { name: 'Business Plus' }).click()
  await expect(heading(page)).toHaveText('Business Plus')
  await expect(heading(page)).toBeFocused()
  await expect(page).toHaveTitle(/^Business Plus ·/)
  await main(page, 'Invoices').focus()
  await page.keyboard.press('Enter')
  await expect(heading(page)).toHaveText('Invoices')
  await expect(heading(page)).toBeFocused()
  // A filter keeps the focus: it is the same page.
  await page.getByRole('button', { name: 'Past due', exact: true }).click()
  await expect(page).toHaveURL(/filter=status:PAST%20DUE|PAST\+DUE|PAST DUE/)
  await expect(page.getByRole('button', { name: 'Past due', exact: true })).toBeFocused()
  await page.goto('/invoices/compare?from=IN-1&to=IN-2')
  await expect(page).toHaveTitle(/^IN-1 vs\. IN-2 ·/)
  await page.goto('/invoices/explain?month=2026-09')
  await expect(page).toHaveTitle(/^September 2026 vs\. August ·/)
})

/** Presses an element at a position, given as shares of its width and height. */
async function pressAt(page: Page, what: Locator, x: number, y: number) {
  const box = await what.boundingBox()
  if (!box) throw new Error('it is not there')
  await page.mouse.click(box.x + box.width * x, box.y + box.height * y)
}

test('a row opens wherever it is pressed, except next to its control', async ({ page }) => {
  await signIn(page, member.all, '/assets')
  await waitForRows(page)
  await expect(page.getByRole('rowheader', { name: /Business Plus/ })).toBeVisible()
  await expect(page.getByRole('group', { name: 'Licenses of Business Plus' })).toBeVisible()
  await pressAt(page, rowOf(page, 'Annual').getByRole('cell').last(), 0.02, 0.5)
  await expect(page).toHaveURL('/assets')
  await pressAt(page, rowOf(page, 'Annual').getByRole('cell').first(), 0.9, 0.5)
  await expect(page).toHaveURL('/assets/office-suite-1')
  await page.goto('/invoices/statement')
  await waitForRows(page)
  await pressAt(page, rowOf(page, 'IN-1').getByRole('cell').last(), 0.1, 0.5)
  await expect(page).toHaveURL('/invoices/IN-1')
  await page.goto('/')
  await waitForRows(page)
  const line = page.getByRole('listitem').filter({ hasText: 'Ways Ltd' })
  await pressAt(page, line, 0.4, 0.5)
  await expect(page).toHaveURL(/^[^?]*\/invoices\?/)
})

test('a row keeps its layout while its page is loading, and a credit note without a balance is settled', async ({
  page,
}) => {
  await signIn(page, member.all, '/invoices')
  await waitForRows(page)
  await expect(rowOf(page, 'CN-3')).toContainText('Settled')
  await expect(rowOf(page, 'CN-3')).not.toContainText('Paid')
  const rects = () =>
    rowOf(page, 'IN-2')
      .locator('th, td')
      .evaluateAll((cells) => cells.map((cell) => Math.round(cell.getBoundingClientRect().left)))
  const before = await rects()
  let answer = () => {}
  const blocked = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(/\/invoices\/IN-2/, async (route) => {
    await blocked
    await route.continue()
  })
  // Checked in each frame, in the page, which listens before the click: a skeleton soon replaces the row.
  const movement = await rowOf(page, 'IN-2').evaluateHandle((row) => ({
    lefts: new Promise<number[]>((resolve) => {
      const sample = () => {
        const isMarked = row.querySelector('.animate-spin')?.checkVisibility()
        if (!isMarked) return requestAnimationFrame(sample)
        const cells = [...row.querySelectorAll('th, td')]
        resolve(cells.map((cell) => Math.round(cell.getBoundingClientRect().left)))
      }
      sample()
    }),
  }))
  await page.getByRole('link', { name: 'IN-2' }).click()
  expect(await movement.evaluate(({ lefts }) => lefts)).toEqual(before)
  answer()
  await expect(page).toHaveURL('/invoices/IN-2')
})

test('amounts of twelve digits stay on one line on a phone', async ({ page }) => {
  await page.setViewportSize(PHONE)
  await giveSession(page.context(), member.all)
  for (const path of [
    '/invoices',
    '/invoices/IN-1',
    '/invoices/statement',
    '/invoices/compare?from=IN-1&to=IN-2',
    '/',
  ]) {
    await page.goto(path)
    await waitForRows(page)
    const broken = await page.locator('main').evaluate((root) => {
      const findings: string[] = []
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        for (const { index, 0: amount } of (node.textContent ?? '').matchAll(
          /[−+]?\d{1,3}(,\d{3}){3,}\.\d\d/g,
        )) {
          const range = document.createRange()
          range.setStart(node, index)
          range.setEnd(node, index + amount.length)
          if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1)
            findings.push(amount)
        }
      }
      return findings
    })
    expect([path, broken]).toEqual([path, []])
    await expect(page.getByText(/\d{3},\d{3},\d{3}\.\d\d/).first()).toBeAttached()
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    )
  }
})

test('a number stays on one line next to a long amount, on a zoomed screen', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 256 })
  await signIn(page, member.all, '/invoices')
  await waitForRows(page)
  const number = page.getByRole('link', { name: 'SR-204836' })
  const lines = await number.evaluate((link) => {
    const range = document.createRange()
    range.selectNodeContents(link.firstChild ?? link)
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
  })
  expect(lines).toBe(1)
})

test('text has the full width on a phone, and related buttons share a row', async ({ page }) => {
  await page.setViewportSize(PHONE)
  await signIn(page, member.all, '/invoices/statement')
  await waitForRows(page)
  const noteBox = await page.getByText('Open balance as of').boundingBox()
  expect(noteBox?.width).toBeGreaterThan(PHONE.width / 2)
  await page.goto('/assets')
  await waitForRows(page)
  const middle = async (what: Locator) => {
    const { y = 0, height = 0 } = (await what.boundingBox()) ?? {}
    return Math.round(y + height / 2)
  }
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  await expect(async () => {
    expect(await middle(button('Filters'))).toBe(await middle(page.getByRole('searchbox')))
    expect(await middle(button('Views'))).toBe(await middle(button(/^Order/)))
    expect(await middle(button('Columns'))).toBe(await middle(button(/^Order/)))
  }).toPass({ timeout: 60_000 })
  // Their panels open below, within the screen.
  for (const name of ['Views', 'Columns']) {
    await button(name).click()
    await expectGood(page)
    await page.keyboard.press('Escape')
  }
})

test('printed assets show the licenses and the customer', async ({ page }) => {
  await signIn(page, member.all, '/assets?filter=type:workspace-suite')
  await waitForRows(page)
  await page.emulateMedia({ media: 'print' })
  await expect(rowOf(page, 'Business Plus').getByRole('cell').last()).toContainText('240')
  await expect(rowOf(page, 'Business Plus').getByRole('spinbutton')).toBeHidden()
  await expect(page.getByText('ways Ltd', { exact: true }).filter({ visible: true })).toHaveCount(1)
  await expect(page.getByText('Only: Type: Workspace suite')).toBeVisible()
  await expect(page.getByText(/^Printed .* UTC$/)).toBeVisible()
})

test('active, current and disabled controls are distinguishable in forced colors', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await signIn(page, member.all, '/assets')
  await waitForRows(page)
  const styleOf = (what: Locator) =>
    what.evaluate((element) => {
      const { backgroundColor, color, borderTopColor } = getComputedStyle(element)
      return [backgroundColor, color, borderTopColor].join(' ')
    })
  expect(await styleOf(main(page, 'Assets'))).not.toBe(await styleOf(main(page, 'Invoices')))
  const fewer = (name: string) => page.getByRole('button', { name: `One fewer: Licenses of ${name}` })
  // Before scripts run, each is disabled.
  await expect(fewer('Business Plus')).toBeEnabled()
  expect(await styleOf(fewer('Annual'))).not.toBe(await styleOf(fewer('Business Plus')))
  // The signs of both buttons are backgrounds, which forced colors hide.
  const more = page.getByRole('button', { name: 'One more: Licenses of Business Plus' })
  const signOf = (button: Locator) =>
    button.evaluate((element) => [
      getComputedStyle(element, '::before').content,
      getComputedStyle(element).backgroundImage.split('linear-gradient').length - 1,
    ])
  expect([await signOf(fewer('Business Plus')), await signOf(more)]).toEqual([
    ['"−"', 0],
    ['"+"', 0],
  ])
  await page.emulateMedia({ forcedColors: 'none' })
  expect([await signOf(fewer('Business Plus')), await signOf(more)]).toEqual([
    ['none', 1],
    ['none', 2],
  ])
  await page.emulateMedia({ forcedColors: 'active' })
  const badge = rowOf(page, 'Annual').locator('.rounded-mark')
  expect(await styleOf(badge)).not.toBe(await styleOf(rowOf(page, 'Business Plus').locator('.rounded-mark')))
  await page.goto('/invoices?filter=status:PAID')
  await waitForRows(page)
  const chip = (name: string) => page.getByRole('button', { name, exact: true })
  expect(await styleOf(chip('Paid'))).not.toBe(await styleOf(chip('All')))
})

test('axe finds nothing in an open menu, panel or dialog, which opens above its button if needed', async ({
  page,
}) => {
  await signIn(page, member.all, '/invoices')
  await waitForRows(page)
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await expectGood(page)
  await page.keyboard.press('Escape')
  await addFilter(page, 'Amount')
  await expectGood(page)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Invoice date/ }).click()
  await expectGood(page)
  await page.keyboard.press('Escape')
  await page.goto('/activity/events')
  await waitForRows(page)
  await page.getByRole('button', { name: /^When/ }).click()
  await expectGood(page)
  await page.setViewportSize(PHONE)
  await expectGood(page)
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1360, height: 420 })
  await page.getByRole('button', { name: /^When/ }).click()
  await expect(page.getByRole('button', { name: 'Apply' })).toBeInViewport()
})
