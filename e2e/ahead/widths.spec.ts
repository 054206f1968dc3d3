import { expect, type Page } from '@playwright/test'
import { asset, invoice, newCustomer } from '../admin.ts'
import { expectAccessible, expectAccessibleAtBoth } from '../axe-checks.ts'
import { DESKTOP, giveSession, PHONE, signIn, waitForHydration, waitForRows } from '../browser.ts'
import { day } from '../days.ts'
import { everyScreen } from '../every-screen.ts'
import { test } from '../reused-page.ts'
import { applyViewport, excess, layoutFaults, VIEWPORTS } from '../viewports.ts'

// Every screen at rest, with names of the largest length: axe, every viewport from 320 to 2560 px (journeys with long
// amounts are in the specs of their screens), and the frame that all lists share; and the bottom bar of some viewports.

const LONG =
  'Enterprise Plus for Regulated Research with Extended Data Residency (Nonprofit Transition Agreement)'
const UNBROKEN = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
const { signedIn, outside } = everyScreen({ asset: 'workspace-suite-2', invoice: 'IN-2', other: 'IN-1' })
const isDeep = process.env.DEEP === '1'
/** Widths that no viewport of the list has: the lowest one of each layout, and one in between; in a deep run also the highest. */
const BREAKPOINT_WIDTHS = isDeep
  ? [689, 720, 721, 860, 991, 992, 1279, 1280, 1359]
  : [689, 721, 860, 992, 1280]
/** Viewports without those in the dark, which differ from others only in their colors; axe's check looks at the laptop, too. */
const SIZES = VIEWPORTS.filter(
  ({ name, media }) => media?.colorScheme === undefined && (isDeep || name !== 'laptop'),
)
let admin = ''

test.beforeAll(async ({ baseURL }) => {
  const customer = await newCustomer('widths')
  await customer.profile('long', `${UNBROKEN} GmbH & Co. KG`)
  await customer.importAssets([
    asset('workspace-suite-1', 'Business Plus', { purchased: 240, assigned: 182 }),
    asset('workspace-suite-2', LONG, {
      ...{ purchased: 999_000, assigned: 120_000, commitmentEnd: `${day(40)}T00:00:00Z` },
    }),
    asset('cloud-platform-1', UNBROKEN),
  ])
  const lines = [{ description: LONG, price: '9999999.99', qty: '1' }]
  await customer.importInvoices(
    [1, 2].map((n) =>
      invoice(`IN-${n}`, {
        ...{ billingProfileId: 'long', issuer: `${UNBROKEN} Ltd`, totalAmount: '9999999.99', lines },
        ...{ invoiceDate: day(30 * n - 120), dueDate: day(30 * n - 90), purchaseOrder: 'PO-2026-'.repeat(5) },
      }),
    ),
  )
  await customer.invite(`ida@${customer.domain}`, `Ida ${UNBROKEN}`, 'it-manager', 'finance-user')
  admin = await customer.member('Ada Min', 'admin')
  const headers = {
    Authorization: `Bearer ${await customer.key('it-manager')}`,
    'Content-Type': 'application/json',
  }
  const set = async (quantity: number) => {
    const body = JSON.stringify({ quantity })
    const path = '/billing/v1/assets/workspace-suite-1'
    return (await fetch(`${baseURL}${path}`, { method: 'PATCH', headers, body })).status
  }
  // Applied changes, and a refused one.
  expect([await set(200), await set(20), await set(240)]).toEqual([200, 422, 200])
})

/** Table that scrolls within its box; no other one has this name. */
const renewals = (page: Page) => page.getByRole('table', { name: 'Renewals' })

/** Returns whether the table of renewals is cut off. */
function isCut(page: Page): Promise<boolean> {
  return renewals(page).evaluateAll((all) =>
    all.some((one) => one.scrollWidth > (one.parentElement?.clientWidth ?? 0)),
  )
}

/** Lists whose filters and tools are in the same bar. */
const LISTS = [
  ...['/invoices', '/assets', '/assets/renewals', '/members', '/keys', '/activity', '/activity/events'],
  ...['/invoices/statement', '/invoices/explain'],
]
/** Screens of the same content width. */
const WIDE = [...LISTS, '/', '/sessions', '/notifications', '/sign-on']
/** Screens whose tables have a header in each row. */
const TABLES = [
  ...['/assets', '/assets/workspace-suite-1', '/invoices', '/invoices/IN-2', '/invoices/statement'],
  ...['/invoices/compare?from=IN-1&to=IN-2', '/activity/events', '/members', '/sessions'],
]
const TOOLS = ['Views', 'Columns', 'Order', 'Export', 'Print', 'Copy as request']

/** Expects the filters of a list below its heading, then its tools, in the same order in each list. */
async function expectTools(page: Page): Promise<void> {
  const bar = page.getByRole('search', { name: 'Filters' })
  const tools = bar.getByRole('group', { name: 'Tools' }).getByRole('button')
  await expect(tools.last()).toBeVisible()
  const names = await tools.evaluateAll((all) =>
    all.map((one) => (one.getAttribute('aria-label') ?? one.textContent ?? '').replace(/:.*/, '')),
  )
  expect(names).toEqual(TOOLS.filter((name) => names.includes(name)))
  const heading = await page.getByRole('heading', { level: 1 }).boundingBox()
  expect(heading?.y ?? 0).toBeLessThan((await bar.boundingBox())?.y ?? 0)
}

async function expectRowHeaders(page: Page): Promise<void> {
  const rows = page.locator('main tbody tr')
  await expect(rows).not.toHaveCount(0)
  await expect(rows.filter({ hasNot: page.locator('th[scope=row]') })).toHaveCount(0)
}

/** Returns the widths at which the page is wider than the window or cut off. It scrolls to its top. */
async function overflows(page: Page, path: string): Promise<string[]> {
  const findings: string[] = []
  await applyViewport(page, { name: 'between', width: BREAKPOINT_WIDTHS[0] ?? 0, height: 900 })
  const hasRenewals = (await renewals(page).count()) > 0
  for (const width of BREAKPOINT_WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    const more = await excess(page)
    if (more > 0) findings.push(`${path}, ${width} px: ${more} px`)
    if (hasRenewals && (await isCut(page)))
      findings.push(`${path}, ${width} px: the table of renewals is cut`)
  }
  for (const viewport of SIZES) {
    // Media of the page are known to be plain: to set them again costs as much as the width.
    if (viewport.media) await applyViewport(page, viewport)
    else await page.setViewportSize(viewport)
    const faults = await layoutFaults(page)
    findings.push(...faults.map((fault) => `${path}, ${viewport.name}: ${fault}`))
  }
  return findings
}

/**
 * Returns the controls of the content that are no tab stops. Arrow keys lead to the points of a plot, and do the same as
 * the buttons of a number; a button opens the field for a file.
 */
function withoutTabStop(page: Page): Promise<string[]> {
  const controls = page
    .locator('main')
    .locator('a[href], button, input:not([type=file]), select, textarea, summary')
  return controls.evaluateAll((all) =>
    all
      .filter((one) => (one as HTMLElement).tabIndex < 0 && one.checkVisibility())
      .filter((one) => !one.closest('svg, [role=group]:has([role=spinbutton])'))
      .map((one) => one.getAttribute('aria-label') ?? one.textContent ?? ''),
  )
}

/** One load of a screen is for all: it takes as long as axe. Returns the edges of the content on wide screens. */
async function expectGoodAtRest(page: Page, paths: string[]): Promise<Set<string>> {
  const findings: string[] = []
  const edges = new Set<string>()
  // A second width would double the time, and other tests check phones for horizontal scrolling there.
  const check = isDeep ? expectAccessibleAtBoth : expectAccessible
  for (const path of paths) {
    await applyViewport(page, { name: 'desk', ...DESKTOP })
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    const note = (error: Error) => findings.push(`${path}: ${error.message}`)
    await check(page).catch(note)
    await page.setViewportSize(DESKTOP)
    findings.push(...(await withoutTabStop(page)).map((name) => `${path}: no tab stop: ${name}`))
    if (LISTS.includes(path)) await expectTools(page).catch(note)
    if (TABLES.includes(path)) await expectRowHeaders(page).catch(note)
    findings.push(...(await overflows(page, path)))
    if (WIDE.includes(path)) edges.add(await edgesOfContent(page))
  }
  expect(findings).toEqual([])
  return edges
}

/** Returns where the content of a wide window begins and how wide it is. */
async function edgesOfContent(page: Page): Promise<string> {
  await applyViewport(page, { name: 'wide', width: 2560, height: 1300 })
  const box = await page.locator('main').boundingBox()
  return `${box?.x} ${box?.width}`
}

test('axe finds nothing on any screen, none is wider than the window, and lists share their frame', async ({
  page,
}) => {
  test.slow()
  await giveSession(page.context(), admin)
  const paths = [...signedIn, '/assets/workspace-suite-1']
  expect(paths).toEqual(expect.arrayContaining([...WIDE, ...TABLES]))
  expect([...(await expectGoodAtRest(page, paths))]).toHaveLength(1)
})

test('axe finds nothing on a screen without a session, and none is wider than the window', async ({
  page,
}) => {
  test.slow()
  await expectGoodAtRest(page, outside)
})

const bar = (page: Page) => page.getByRole('navigation', { name: 'Shortcuts' })

test('the bottom bar on a phone links to the main screens, and covers nothing', async ({ page }) => {
  await page.setViewportSize(PHONE)
  await signIn(page, admin, '/assets')
  await waitForHydration(page)
  const entries = bar(page).locator('a, button')
  await expect(entries).toHaveText(['Home', 'Assets', 'Invoices', 'Search'])
  for (const entry of await entries.all()) {
    const { width = 0, height = 0 } = (await entry.boundingBox()) ?? {}
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(44)
  }
  await expect(bar(page).locator('[aria-current]')).toHaveText('Assets')
  const top = (await bar(page).boundingBox())?.y ?? 0
  const bottomOf = async (what: ReturnType<Page['locator']>) => {
    const { y = 0, height = 0 } = (await what.boundingBox()) ?? {}
    return y + height
  }
  // The page scrolls to the focused element.
  const last = page.locator('main').locator('a, input').last()
  await last.focus()
  expect(await bottomOf(last)).toBeLessThanOrEqual(top)
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  expect(await bottomOf(page.locator('main tbody tr').last())).toBeLessThanOrEqual(top)
  await page.getByRole('spinbutton', { name: 'Licenses of Business Plus' }).fill('241')
  await page.getByRole('button', { name: 'Set to 241 licenses' }).click()
  const toast = page.getByRole('status').getByText('Business Plus: 240 → 241 licenses')
  await expect(toast).toBeVisible()
  expect(await bottomOf(toast)).toBeLessThanOrEqual(top)
  await bar(page).getByRole('link', { name: 'Invoices' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Invoices')
  await expect(bar(page).locator('[aria-current]')).toHaveText('Invoices')
  await bar(page).getByRole('button', { name: 'Search' }).click()
  await expect(page.getByRole('combobox', { name: /^Search/ })).toBeFocused()
})

test('low windows, wide windows and print have no bottom bar', async ({ page }) => {
  await signIn(page, admin, '/')
  await waitForRows(page)
  for (const viewport of VIEWPORTS) {
    await applyViewport(page, viewport)
    const hasBar = viewport.height >= 480 && viewport.width < 992 && viewport.media?.media !== 'print'
    await expect(bar(page), viewport.name).toBeVisible({ visible: hasBar })
    const finders = page.getByRole('button', { name: /^Search/ })
    await expect(finders).toHaveCount(viewport.media?.media === 'print' ? 0 : 1)
  }
})
