import { expect, type Page, test } from '@playwright/test'
import { asset, invoice, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { PHONE, signIn } from '../browser.ts'
import { day } from '../days.ts'
import { everyScreen } from '../every-screen.ts'
import { cutOffWrites, openEverything } from '../open-panels.ts'

// Axe checks every state that a press leads to: menus, panels, reviews, dialogs, messages and errors. Nothing is listed
// here: the openers are found on the screen. widths.spec.ts has the screens at rest.

/** Some expected openers, so that a search which finds nothing fails. */
const OPENS: Record<string, string[]> = {
  '/assets': ['Export', 'Views', 'Columns', 'One more:'],
  '/invoices': ['Export', 'Views', 'Columns', 'Invoice date:', 'Add filter'],
  '/members': ['Invite a'],
}
const THINGS = { asset: 'workspace-suite-2', invoice: 'IN-2', other: 'IN-1' }
const { signedIn } = everyScreen(THINGS)
let admin = ''

test.beforeAll(async () => {
  const customer = await newCustomer('open')
  await customer.profile('emea', 'Open Europe B.V.')
  await customer.importAssets([
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
  await customer.importInvoices([
    ...[1, 2].map((n) =>
      invoice(`IN-${n}`, {
        ...{ platform: 'workspace-suite', totalAmount: '4330', lines },
        ...{ invoiceDate: day(30 * n - 120), dueDate: day(30 * n - 90) },
      }),
    ),
    invoice('EU-1', { billingProfileId: 'emea', currency: 'EUR', invoiceDate: day(-20), dueDate: day(10) }),
  ])
  await customer.key('it-manager')
  await customer.member('Ida Tech', 'it-manager')
  admin = await customer.member('Ada Min', 'admin')
})

/** @param part of the page in which openers are searched: the frame is the same on each screen */
async function checkPanels(page: Page, path: string, part: 'body' | 'main'): Promise<string[]> {
  await cutOffWrites(page)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const findings: string[] = []
  const opened = await openEverything(page.locator(part), path, async (state) => {
    // Reports all violations, not only the first.
    await expectGood(page).catch((error) => findings.push(`${state}: ${error.message}`))
    await page.emulateMedia({ colorScheme: 'light' })
  })
  expect(findings).toEqual([])
  return opened
}

for (const path of signedIn)
  test(`all panels on ${path} are accessible`, { tag: '@deep' }, async ({ page }) => {
    test.slow()
    await signIn(page, admin)
    const opened = await checkPanels(page, path, path === '/' ? 'body' : 'main')
    await test.info().attach('opened', { body: opened.join('\n') })
    if (OPENS[path]) expect(opened).toEqual(expect.arrayContaining(OPENS[path]))
  })

for (const path of ['/', '/assets', '/invoices'])
  test(`all panels on ${path} on a phone are accessible`, { tag: '@deep' }, async ({ page }) => {
    test.slow()
    await page.setViewportSize(PHONE)
    await signIn(page, admin)
    const opened = await checkPanels(page, path, path === '/' ? 'body' : 'main')
    expect(opened.length).toBeGreaterThan(1)
  })
