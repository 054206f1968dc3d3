import { readFile } from 'node:fs/promises'
import { expect, type Page } from '@playwright/test'
import { asset, newCustomer } from '../admin.ts'
import { expectAccessibleAtBoth } from '../axe-checks.ts'
import { chooseFilter, clipboardText, complaints, DESKTOP, exported, signIn } from '../browser.ts'
import { test } from '../reused-page.ts'

// Asset ids may contain characters with a meaning in URLs.
const ODD = "workspace-suite-a/b|c:[7] ü%2F?&#é'"
const people = { it: '', finance: '', nobody: '' }
const keys = { it: '' }

test.beforeAll(async () => {
  const customer = await newCustomer('history')
  const plan = { purchased: 40, assigned: 30 }
  const business = asset('workspace-suite-1', 'Business Plus', plan)
  await customer.importAssets([
    { ...business, subscription: { ...business.subscription, resourceUiUrl: 'https://admin.example/s/1' } },
    asset('workspace-suite-2', 'Many changes', { purchased: 0 }),
    asset(ODD, 'Odd & <b>bold</b>', { purchased: 3 }),
    asset('office-suite-1', 'Annual', { purchased: 10, assigned: 2, commitmentEnd: '2099-03-01T00:00:00Z' }),
    asset('cloud-platform-1', 'Production'),
  ])
  people.it = await customer.member('Ida Tech', 'it-manager')
  people.finance = await customer.member('Fin Clerk', 'finance-user')
  keys.it = await customer.key('it-manager')
  const empty = await newCustomer('nohistory')
  people.nobody = await empty.member('Nora New', 'it-manager')
})

const bearer = () => ({ Authorization: `Bearer ${keys.it}`, 'Content-Type': 'application/json' })
const changes = (page: Page) =>
  page
    .getByRole('table', { name: /^Changes of licenses/ })
    .locator('tbody')
    .getByRole('row')
const seats = (page: Page) => page.getByRole('table', { name: /^Purchased and assigned licenses/ })
const control = (page: Page, name: string) => page.getByRole('spinbutton', { name: `Licenses of ${name}` })

/** Sets a total through the API, and returns the status. */
async function set(page: Page, id: string, quantity: number): Promise<number> {
  const path = `/billing/v1/assets/${encodeURIComponent(id)}`
  return (await page.request.patch(path, { headers: bearer(), data: { quantity } })).status()
}

test.describe.configure({ mode: 'serial' })

test('the pages have a placeholder before the first change', async ({ page }) => {
  await signIn(page, people.it, '/activity')
  await expect(page.getByText('No changes yet')).toBeVisible()
  await page.goto('/assets/workspace-suite-1')
  await expect(page.getByText('No changes yet')).toBeVisible()
  await expect(
    page.getByRole('img', { name: /Purchased licenses, .*: 40 throughout\. Assigned, .*: 30 throughout\./ }),
  ).toBeVisible()
  // The axis starts at zero, so that the area shows a share of all licenses.
  await expect(
    page
      .getByRole('img', { name: /^Purchased licenses/ })
      .locator('text')
      .first(),
  ).toHaveText('0')
  await expect(page.getByText(/^Recorded since .*\. Earlier data is not available\.$/)).toBeVisible()
})

test('a member goes from the list to an asset, changes it, and returns to the same view', async ({
  page,
}) => {
  await signIn(page, people.it, '/assets?filter=type:workspace-suite&search=plus')
  await page.getByRole('link', { name: 'Business Plus' }).click()
  await expect(page.getByRole('heading', { name: 'Business Plus', level: 1 })).toBeVisible()
  await expect(page.getByText('Active', { exact: true })).toBeVisible()
  const details = page.getByLabel('Facts')
  for (const [term, value] of [
    ['Plan', 'Flexible'],
    ['Purchased', '40'],
    ['Assigned', '30'],
    ['Unassigned', '10'],
    ['Renewal', 'No commitment'],
    ['Created', '15 Jan 2026'],
  ]) {
    await expect(details.locator('div').filter({ hasText: new RegExp(`^${term}${value}$`) })).toHaveCount(1)
  }
  await expect(details.getByRole('link')).toHaveAttribute('rel', /noopener/)

  await control(page, 'Business Plus').fill('45')
  await expect(page.getByText('Business Plus: 40 → 45 licenses')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(control(page, 'Business Plus')).toHaveValue('40')
  await control(page, 'Business Plus').fill('45')
  await control(page, 'Business Plus').press('Enter')
  await page.keyboard.press('Enter')
  await expect(changes(page)).toHaveCount(1)
  await expect(changes(page).first()).toContainText(/Ida Tech.*40 → 45.*\+5.*Applied/)
  await expect(control(page, 'Business Plus')).toHaveValue('45')
  await expect(details.locator('div').filter({ hasText: /^Purchased45$/ })).toHaveCount(1)
  await expect(page.getByRole('img', { name: /from 40 to 45, lowest 40, highest 45/ })).toBeVisible()
  await expect(seats(page)).toBeHidden()
  await page.getByText('Show as table').click()
  await expect(seats(page).getByRole('row').nth(1)).toContainText(/^\d+ \w+ \d{4}45.*30.*15/)

  await control(page, 'Business Plus').fill('20')
  await page.getByRole('button', { name: 'Ask for 20 all the same' }).click()
  await expect(page.getByText('Not changed: the vendor refused 20')).toBeVisible()
  await expect(changes(page)).toHaveCount(2)
  await expect(changes(page).first()).toContainText('Refused by the vendor')
  await expect(changes(page).first()).toContainText('30 users are assigned. Unassign 10 first')
  // The refusal stays until it is discarded, although the page was read again below it.
  await expect(control(page, 'Business Plus')).toHaveValue('20')
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Assets' }).click()
  await expect(page).toHaveURL('/assets?filter=type:workspace-suite&search=plus')
  await expect(control(page, 'Business Plus')).toHaveValue('45')
})

test("a colleague's change in between is a conflict on the asset's page too", async ({ page }) => {
  await signIn(page, people.it, '/assets/workspace-suite-1')
  await control(page, 'Business Plus').fill('50')
  expect(await set(page, 'workspace-suite-1', 48)).toBe(200)
  await page.getByRole('button', { name: 'Set to 50 licenses' }).click()
  await expect(page.getByText('set this to 48 licenses')).toBeVisible()
  await page.getByRole('button', { name: 'Keep 48' }).click()
  await expect(control(page, 'Business Plus')).toHaveValue('48')
  await expect(changes(page).first()).toContainText(/Key “test”.*45 → 48.*\+3/)
})

test('a commitment plan cannot be lowered on its page; a plan without licenses has no control', async ({
  page,
}) => {
  await signIn(page, people.it, '/assets/office-suite-1')
  await expect(page.getByText('Can’t be lowered before 1 Mar 2099', { exact: true })).toBeVisible()
  await expect(page.getByText('Committed until 1 Mar 2099')).toBeVisible()
  await page.goto('/assets/cloud-platform-1')
  await expect(page.getByRole('heading', { name: 'Production' })).toBeVisible()
  await expect(page.getByLabel('Facts')).toContainText('No licenses')
  await expect(page.getByRole('spinbutton')).toHaveCount(0)
  await expect(page.getByRole('img')).toHaveCount(0)
  await expect(page.getByRole('table')).toHaveCount(0)
})

test('an id with special characters has its page, its change and its history', async ({ page }) => {
  await signIn(page, people.it, '/assets')
  await page.getByRole('link', { name: 'Odd & <b>bold</b>' }).click()
  await expect(page.getByText(ODD)).toBeVisible()
  await control(page, 'Odd & <b>bold</b>').fill('4')
  await page.getByRole('button', { name: 'Set to 4 licenses' }).click()
  await expect(changes(page)).toHaveCount(1)
  await expect(control(page, 'Odd & <b>bold</b>')).toHaveValue('4')
  await page.reload()
  await expect(changes(page).first()).toContainText('3 → 4')
  expect((await page.goto('/assets/workspace-suite-none'))?.status()).toBe(404)
  await expect(page.getByText('Page not found')).toBeVisible()
})

test('a long history is paginated, and keeps the way back to the list', async ({ page }) => {
  await signIn(page, people.it, '/assets')
  for (let quantity = 1; quantity <= 52; quantity++)
    expect(await set(page, 'workspace-suite-2', quantity)).toBe(200)
  await page.goto('/assets/workspace-suite-2?search=many')
  await expect(changes(page)).toHaveCount(50)
  await expect(changes(page).first()).toContainText('51 → 52')
  await page.getByRole('link', { name: 'Older' }).click()
  await expect(changes(page)).toHaveCount(2)
  await expect(changes(page).last()).toContainText('0 → 1')
  await page.getByRole('link', { name: 'Newer' }).click()
  await expect(changes(page)).toHaveCount(50)
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').click()
  await expect(page).toHaveURL('/assets?search=many')
  await page.goto('/assets/workspace-suite-2?history=nonsense')
  await page.getByRole('link', { name: 'Show the newest changes' }).click()
  await expect(changes(page)).toHaveCount(50)
})

test('the address, the screen and the API agree on Activity; filters are chips', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signIn(page, people.it)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Activity' }).click()
  await expect(changes(page)).toHaveCount(50)
  await page.getByRole('link', { name: 'Older' }).click()
  await expect(changes(page)).toHaveCount(6)
  await page.getByRole('link', { name: 'Newer' }).click()
  const toggleRejected = async () => {
    await page.getByRole('button', { name: /^Outcome/ }).click()
    await page.getByRole('checkbox', { name: 'Refused' }).click()
    await page.keyboard.press('Escape')
  }
  await toggleRejected()
  await expect(page).toHaveURL('/activity?filter=state:REJECTED')
  await expect(changes(page)).toHaveCount(1)
  await page.getByRole('button', { name: /^When/ }).click()
  await page.getByRole('button', { name: 'This year' }).click()
  await expect(page).toHaveURL(/filter=state:REJECTED&minCreationTime=\d+&maxCreationTime=\d+$/)
  await expect(changes(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Copy as request' }).click()
  const line = await clipboardText(page, /license-changes.*REJECTED/)
  const url = /'(http[^']+)'/.exec(line)?.[1] ?? ''
  const answer = await (await page.request.get(url, { headers: bearer() })).json()
  expect(answer.licenseChanges.map(({ to }: { to: number }) => to)).toEqual([20])
  const chips = page.getByRole('search', { name: 'Filters' })
  // Each filter is shown once.
  await expect(chips.getByRole('button', { name: /^Remove filter/ })).toHaveCount(2)
  await page.getByRole('button', { name: 'Remove filter: This year' }).click()
  await expect(page).toHaveURL('/activity?filter=state:REJECTED')
  await toggleRejected()
  await expect(page).toHaveURL('/activity')
  await expect(changes(page)).toHaveCount(50)
  await toggleRejected()
  await chips.getByRole('button', { name: 'Clear all' }).click()
  await expect(page).toHaveURL('/activity')
  await page.goto('/activity?filter=asset:workspace-suite-1')
  await expect(changes(page)).toHaveCount(3)
  await chips.getByRole('button', { name: 'Remove filter: Business Plus' }).click()
  await expect(page).toHaveURL('/activity')
  await page.getByRole('button', { name: 'Last 7 days', exact: true }).click()
  await expect(page).toHaveURL(/\/activity\?minCreationTime=\d+&maxCreationTime=\d+$/)
  await expect(changes(page)).toHaveCount(50)
  await page.getByRole('button', { name: 'Last 7 days', exact: true }).click()
  await expect(page).toHaveURL('/activity')
  await chooseFilter(page, 'Product', 'Business Plus')
  await expect(page).toHaveURL('/activity?filter=asset:workspace-suite-1')
  await chips.getByRole('button', { name: 'Clear all' }).click()
  await chooseFilter(page, 'Person', 'Ida Tech')
  await expect(changes(page).first()).toContainText('Ida Tech')
  const [download] = await Promise.all([page.waitForEvent('download'), exported(page, 'CSV')()])
  expect(download.suggestedFilename()).toMatch(/^license-changes-[\d-]+\.csv$/)
  expect(await readFile(await download.path(), 'utf8')).not.toContain('Key')
  await page.goto('/activity?filter=asset:nothing')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(changes(page)).toHaveCount(50)
  await page.goto('/activity?filter=color:red')
  await page.getByRole('link', { name: 'Show all changes' }).click()
  await changes(page).last().getByRole('link').click()
  await expect(page).toHaveURL('/assets/workspace-suite-2')
})

test('a member without the permission has no link and sees the role; a foreign asset is not found', async ({
  page,
  browser,
}) => {
  await signIn(page, people.finance)
  await expect(page.getByRole('link', { name: 'Activity' })).toHaveCount(0)
  for (const path of ['/activity', '/assets/workspace-suite-1']) {
    await page.goto(path)
    await expect(page.getByText('This page needs the role IT Manager or Admin.')).toBeVisible()
  }
  const other = await browser.newPage()
  await signIn(other, people.nobody, '/activity')
  await expect(other.getByText('No changes yet')).toBeVisible()
  expect((await other.goto('/assets/workspace-suite-1'))?.status()).toBe(404)
  await other.close()
})

test('axe finds nothing on a desk or a phone, and nothing sticks out', { tag: '@deep' }, async ({ page }) => {
  const problems = complaints(page)
  await signIn(page, people.it, '/assets/workspace-suite-1')
  await expectAccessibleAtBoth(page)
  for (const path of [
    `/assets/${encodeURIComponent(ODD)}`,
    '/assets/cloud-platform-1',
    '/assets/office-suite-1?history=nonsense',
    '/activity?filter=state:REJECTED&minCreationTime=1',
    '/activity?filter=asset:nothing',
  ]) {
    await page.goto(path)
    await expectAccessibleAtBoth(page)
  }
  await page.goto('/assets/workspace-suite-1')
  await page.getByRole('button', { name: 'One more: Licenses of Business Plus' }).click()
  await expect(page.getByText('Business Plus: 48 → 49 licenses')).toBeVisible()
  await expectAccessibleAtBoth(page)
  await page.setViewportSize(DESKTOP)
  await page.goto('/activity')
  await page.getByRole('button', { name: /^When/ }).click()
  await expectAccessibleAtBoth(page)
  expect(problems).toEqual([])
})
