import { expect, type Page } from '@playwright/test'
import { newCustomer, PASSWORD } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, PHONE, pressEnter, pressSlash, signIn, signInFreshly } from '../browser.ts'
import { test } from '../reused-page.ts'

const LONG = 'Wilhelmina Montgomery-Featherstonehaugh of the Department of Extraordinarily Long Names'
const people = { admin: '', second: '', ben: '', it: '' }
let customer: Awaited<ReturnType<typeof newCustomer>>

test.beforeAll(async () => {
  customer = await newCustomer('members')
  await customer.profile('emea', 'Members EMEA')
  people.admin = await customer.member('Ada Min', 'admin')
  people.second = await customer.member('Sec Ond', 'admin')
  people.ben = await customer.member('Ben Ito', 'it-manager')
  people.it = await customer.member('Ida Tech', 'it-manager')
})

const rows = (page: Page) =>
  page
    .getByRole('table', { name: /^Members/ })
    .locator('tbody')
    .getByRole('row')
const row = (page: Page, text: string | RegExp) => rows(page).filter({ hasText: text })
/** Calls the API in the session of a page: an API key can't manage members. */
const call = (page: Page, method: string, rest: string, body: object) =>
  page.evaluate(
    async ([method, rest, text]) => {
      const headers = { 'Content-Type': 'application/json' }
      const answer = await fetch(`/billing/v1/members${rest}`, { method, headers, body: text })
      return { status: answer.status, json: await answer.json() }
    },
    [method, rest, JSON.stringify(body)] as [string, string, string],
  )
const open = (page: Page, name: string) => page.getByRole('button', { name: `Change ${name}` }).click()

test('an Admin invites a member by keyboard only, and copies the link', async ({ page, context }) => {
  const pageErrors = complaints(page)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signInFreshly(page, people.admin)
  await page.getByRole('link', { name: 'Members' }).click()
  await expect(page.getByRole('heading', { name: 'Members', level: 1 })).toBeVisible()
  await expect(row(page, 'Ada Min')).toContainText('(you)')
  await expectGood(page)

  await pressEnter(page.getByRole('button', { name: 'Invite a member' }))
  const dialog = page.getByRole('dialog', { name: 'Invite a member' })
  await expect(dialog.getByLabel('Email address')).toBeFocused()
  await page.keyboard.type(people.ben)
  await page.keyboard.press('Tab')
  await page.keyboard.type('Cleo Marsh')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('Choose at least one role.')).toBeVisible()
  await expectGood(page)
  // Selects the role Finance User, then one billing profile.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await expect(dialog.getByRole('checkbox', { name: /Finance User/ })).toBeChecked()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  await expect(dialog.getByRole('radio', { name: 'Selected profiles' })).toBeChecked()
  await dialog.getByRole('checkbox', { name: /Members EMEA/ }).focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('This address is a member already, or is invited.')).toBeVisible()
  await expect(dialog.getByLabel('Email address')).toBeFocused()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(`cleo@${customer.domain}`)
  await page.keyboard.press('Enter')

  const done = page.getByRole('dialog', { name: 'Cleo Marsh is invited' })
  await expect(done.getByLabel('Link')).toBeFocused()
  await expectGood(page)
  const link = await done.getByLabel('Link').inputValue()
  expect(new URL(link).pathname).toMatch(/^\/invitation\/[\w-]{43}$/)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(done.getByText('Copied')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Invite a member' })).toBeFocused()
  await expect(row(page, 'Cleo Marsh')).toContainText(/Invited\s*until/)
  await expect(row(page, 'Cleo Marsh')).toContainText('Members EMEA')
  await expect(row(page, 'Cleo Marsh')).toContainText('by Ada Min')

  await open(page, 'Cleo Marsh')
  await page.getByRole('button', { name: 'Withdraw the invitation' }).click()
  await expect(page.getByText(/stops working, and they are removed/)).toBeFocused()
  await expectGood(page)
  await page.getByRole('button', { name: 'Withdraw the invitation' }).click()
  await expect(page.getByText('Withdrawn: Cleo Marsh')).toBeVisible()
  await expect(row(page, 'Cleo Marsh')).toHaveCount(0)
  expect(pageErrors).toEqual([])
})

test('an invited member is active with the granted access', async ({ page, browser, baseURL }) => {
  await signInFreshly(page, people.second, '/members?search=Eva')
  const data = { email: `eva@${customer.domain}`, name: 'Eva Link', roles: ['finance-user'] }
  const { link } = (await call(page, 'POST', '', data)).json
  const there = await browser.newPage({ baseURL: baseURL ?? '' })
  await there.goto(new URL(link.url).pathname)
  for (const label of ['New password', 'New password, again'])
    await there.getByLabel(label, { exact: true }).fill('a password of Eva')
  await there.getByRole('button', { name: 'Set password and sign in' }).click()
  await expect(there).toHaveURL(/\/$/)
  await page.reload()
  await expect(row(page, 'Eva Link')).toContainText('Active')
  await expect(row(page, 'Eva Link').locator('time')).toHaveCount(2)
  await expect(row(page, 'Eva Link')).toContainText('by Sec Ond')
  await there.close()
})

test('an Admin changes roles, disables after a warning, and enables; the history has each step', async ({
  page,
  browser,
  baseURL,
}) => {
  const pageErrors = complaints(page)
  const there = await browser.newPage({ baseURL: baseURL ?? '' })
  await signInFreshly(there, people.ben)
  await signInFreshly(page, people.admin, '/members')
  await open(page, 'Ben Ito')
  const dialog = page.getByRole('dialog', { name: 'Ben Ito' })
  await dialog.getByRole('checkbox', { name: /Finance User/ }).check()
  await dialog.getByRole('radio', { name: 'Selected profiles' }).check()
  await dialog.getByRole('checkbox', { name: /Members EMEA/ }).check()
  await expectGood(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved: Ben Ito')).toBeVisible()
  await expect(row(page, 'Ben Ito')).toContainText('IT Manager, Finance User')
  await there.goto('/')
  await expect(there.getByRole('navigation', { name: 'Main' })).toContainText('Invoices')

  await open(page, 'Ben Ito')
  await page.getByRole('button', { name: 'Disable', exact: true }).click()
  await expect(
    page.getByText(/signed out everywhere immediately.*keys that they created stop working/),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Disable Ben Ito' }).click()
  await expect(row(page, 'Ben Ito')).toContainText('Disabled')
  await there.reload()
  await expect(there).toHaveURL(/sign-in/)
  await open(page, 'Ben Ito')
  await page.getByRole('button', { name: 'Enable' }).click()
  await expect(row(page, 'Ben Ito')).toContainText('Active')

  await page.goto('/activity/events?filter=kind:access')
  const events = page.getByRole('table', { name: /^Events/ }).getByRole('row')
  await expect(events.filter({ hasText: 'Disabled a member' }).first()).toContainText('Ada Min')
  await expect(events.filter({ hasText: 'changed roles' })).toContainText('to IT Manager, Finance User')
  expect(pageErrors).toEqual([])
  await there.close()
})

test('a member with an old sign-in confirms it, and the requested action completes', {
  tag: '@deep',
}, async ({ page }) => {
  const pageErrors = complaints(page)
  await signInFreshly(page, people.admin, '/members?search=Ben')
  await customer.ageSignIns()
  await open(page, 'Ben Ito')
  const dialog = page.getByRole('dialog', { name: 'Ben Ito' })
  await dialog.getByLabel('Name').fill('Benjamin Ito')
  await page.keyboard.press('Enter')
  const confirm = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await expect(confirm).toBeVisible()
  await expectGood(page)
  await page.keyboard.press('Escape')
  await expect(dialog.getByText('Not saved')).toBeVisible()
  await expect(dialog.getByLabel('Name')).toHaveValue('Benjamin Ito')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await confirm.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await expect(page.getByText('Saved: Benjamin Ito')).toBeVisible()
  await expect(row(page, 'Benjamin Ito')).toHaveCount(1)
  expect(pageErrors).toEqual([])
})

test('of two Admins who change the same member, the second sees a conflict, and loses nothing', async ({
  page,
}) => {
  await signInFreshly(page, people.admin, '/members?search=Ida')
  await open(page, 'Ida Tech')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Ida Technik')
  const { members } = await (await page.request.get('/billing/v1/members?search=Ida')).json()
  const data = { roles: ['it-manager', 'finance-user'] }
  expect((await call(page, 'PATCH', `/${members[0].id}`, data)).status).toBe(200)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('Someone else changed this member')).toBeVisible()
  await expect(dialog.getByLabel('Name')).toHaveValue('Ida Technik')
  await expectGood(page)
  await dialog.getByRole('button', { name: 'Load current values' }).click()
  await expect(dialog.getByRole('checkbox', { name: /Finance User/ })).toBeChecked()
  await expect(dialog.getByLabel('Name')).toHaveValue('Ida Tech')
})

test('an Admin who reduces their own access is warned; the last Admin stays', async ({ page }) => {
  const pageErrors = complaints(page)
  await signIn(page, people.second, '/members')
  await open(page, 'Ada Min')
  await page.getByRole('button', { name: 'Disable', exact: true }).click()
  await page.getByRole('button', { name: 'Disable Ada Min' }).click()
  await expect(row(page, 'Ada Min')).toContainText('Disabled')
  await open(page, 'Sec Ond')
  const dialog = page.getByRole('dialog', { name: 'Sec Ond' })
  await dialog.getByRole('checkbox', { name: /IT Manager/ }).check()
  await expect(dialog.getByText(/You lose this access/)).toHaveCount(0)
  await dialog.getByRole('checkbox', { name: /^Admin/ }).uncheck()
  await expect(dialog.getByText(/You lose this access/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText(/the last Admin who can sign in/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await open(page, 'Ada Min')
  await page.getByRole('button', { name: 'Enable' }).click()
  await expect(row(page, 'Ada Min')).toContainText('Active')
  expect(pageErrors).toEqual([])
})

test('three hundred members with long names on a phone can be searched, and filtered by pending invitations', {
  tag: '@deep',
}, async ({ page }) => {
  const pageErrors = complaints(page)
  const many = await newCustomer('many-members')
  await signInFreshly(page, await many.member('Ad Min', 'admin'), '/members')
  const invite = async (name: string, email: string) => {
    const data = { name, email: `${email}@${many.domain}`, roles: ['it-manager'] }
    await expect.poll(async () => (await call(page, 'POST', '', data)).status).toBe(200)
  }
  await invite(LONG, `${'long.'.repeat(11)}name`)
  // Each waits for the previous one, for at most two seconds: on a busy machine one gets a 503, and is sent again.
  for (let n = 0; n < 300; n += 3)
    await Promise.all(Array.from({ length: 3 }, (_, at) => invite(`Member ${n + at}`, `member.${n + at}`)))
  await page.reload()
  await expect(rows(page)).toHaveCount(50)
  await page.getByRole('link', { name: 'Older' }).click()
  await expect(page).toHaveURL(/pageToken=/)
  await pressSlash(page)
  await page.keyboard.type('Wilhelm')
  await expect(rows(page)).toHaveCount(1)
  await expectGood(page)
  await page.setViewportSize(PHONE)
  await expectGood(page)
  await page.getByRole('button', { name: `Change ${LONG}` }).click()
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Save' })).toBeVisible()
  await expectGood(page)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Filters', exact: true }).click()
  await page.getByRole('button', { name: 'Active', exact: true }).click()
  await expect(page.getByText('No matches')).toBeVisible()
  await expectGood(page)
  await page.getByRole('button', { name: 'Show all members' }).click()
  await page.getByRole('button', { name: 'Active', exact: true }).click()
  await expect(rows(page)).toHaveCount(1)
  expect(pageErrors).toEqual([])
})

test('members without Admin have no link, and the address shows the required role', async ({ page }) => {
  await signIn(page, people.it)
  await expect(page.getByRole('navigation', { name: 'Main' })).not.toContainText('Members')
  await page.goto('/members')
  await expect(page.getByText('This page needs the role Admin.')).toBeVisible()
  await expectGood(page)
})
