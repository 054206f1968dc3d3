import { expect, type Page, test } from '@playwright/test'
import { asset, invoice, newCustomer } from '../admin.ts'
import { expectGood, PHONE, signIn } from '../browser.ts'
import { day } from '../days.ts'
import { everyScreen } from '../every-screen.ts'
import { cutOffWrites, openEverything } from '../openers.ts'

// Axe looks at each screen in every state that a press leads to: menus, panels, reviews, dialogs, what was said and what failed.
// Nothing is listed here: what a screen can open is found on it.

/** Some of what is found, so that a search which finds nothing fails. */
const OPENS: Record<string, string[]> = {
  '/': ['More'],
  '/assets': ['Export', 'Views', 'Columns', 'One more:'],
  '/invoices': ['Export', 'Views', 'Columns', 'Invoice date:'],
  '/members': ['Invite a'],
}
const THINGS = { asset: 'workspace-suite-2', invoice: 'IN-2', other: 'IN-1' }
const { signedIn, outside } = everyScreen(THINGS)
let admin = ''

test.beforeAll(async () => {
  const own = await newCustomer('open')
  await own.profile('emea', 'Open Europe B.V.')
  await own.importAssets([
    asset('workspace-suite-1', 'Business Plus', { purchased: 240, assigned: 182 }),
    asset('workspace-suite-2', 'Enterprise Standard', {
      ...{ purchased: 60, assigned: 50, commitmentEnd: `${day(40)}T00:00:00Z` },
    }),
    asset('office-suite-1', 'Office E3', { purchased: 10, assigned: 10 }),
    asset('cloud-platform-1', 'Production'),
  ])
  const lines = [
    { description: 'Business Plus', price: '18', qty: '240' },
    { description: 'Support', price: '10', qty: '1' },
  ]
  await own.importInvoices([
    ...[1, 2].map((n) =>
      invoice(`IN-${n}`, {
        ...{ platform: 'workspace-suite', totalAmount: '4330', lines },
        ...{ invoiceDate: day(30 * n - 120), dueDate: day(30 * n - 90) },
      }),
    ),
    invoice('EU-1', { billingProfileId: 'emea', currency: 'EUR', invoiceDate: day(-20), dueDate: day(10) }),
  ])
  await own.key('it-manager')
  await own.member('Ida Tech', 'it-manager')
  admin = await own.member('Ada Min', 'admin')
})

/** @param part where what may open something is looked for: the frame is the same on each screen */
async function lookAtAll(page: Page, path: string, part: 'body' | 'main'): Promise<string[]> {
  await cutOffWrites(page)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const found: string[] = []
  const opened = await openEverything(page.locator(part), path, async (state) => {
    // All that is wrong, not the first of it.
    await expectGood(page).catch((error) => found.push(`${state}: ${error.message}`))
    await page.emulateMedia({ colorScheme: 'light' })
  })
  expect(found).toEqual([])
  return opened
}

// All of them take a quarter of an hour: `EVERY_STATE=1 npx playwright test open`. Three are looked at with each change.
const isAll = process.env.EVERY_STATE === '1'
const MAIN = ['/', '/assets', '/invoices']

for (const path of signedIn.filter((one) => isAll || MAIN.includes(one)))
  test(`what opens on ${path}`, async ({ page }) => {
    test.slow()
    await signIn(page, admin)
    const opened = await lookAtAll(page, path, path === '/' ? 'body' : 'main')
    await test.info().attach('opened', { body: opened.join('\n') })
    if (OPENS[path]) expect(opened).toEqual(expect.arrayContaining(OPENS[path]))
  })

for (const path of outside)
  test(`what opens on ${path}, by nobody`, async ({ page }) => {
    await page.goto(path)
    await expectGood(page)
  })

for (const path of isAll ? MAIN : [])
  test(`what opens on ${path} on a phone`, async ({ page }) => {
    test.slow()
    await page.setViewportSize(PHONE)
    await signIn(page, admin)
    const opened = await lookAtAll(page, path, path === '/' ? 'body' : 'main')
    expect(opened.length).toBeGreaterThan(1)
  })
