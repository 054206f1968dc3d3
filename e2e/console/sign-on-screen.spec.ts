import { expect, type Page } from '@playwright/test'
import { type NameServer, startNameServer } from '../../test/fakes/issuers/name-server.ts'
import { type FakeIssuer, startIssuer } from '../../test/fakes/issuers/provider.ts'
import { newCustomer, PASSWORD } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, PHONE, pressEnter, waitForHydration } from '../browser.ts'
import { test } from '../reused-page.ts'
import { testPorts } from '../server.ts'

// An Admin sets up single sign-on, and a directory, without a terminal.

let issuer: FakeIssuer
let names: NameServer
const url = process.env.E2E_BASE_URL ?? ''

test.beforeAll(async () => {
  issuer = await startIssuer(testPorts().screenIssuer)
  names = await startNameServer(testPorts().names)
})
test.afterAll(async () => {
  await Promise.all([issuer.close(), names.close()])
})

const press = async (page: Page, name: string | RegExp, within?: string) => {
  const scope = within ? page.getByRole('dialog', { name: within }) : page
  const button = scope.getByRole('button', { name, exact: true })
  await expect(button).toBeEnabled()
  await button.focus()
  await page.keyboard.press('Enter')
}
async function byPassword(page: Page, email: string, path: string) {
  await page.goto(`${url}/sign-in?from=${encodeURIComponent(path)}`)
  await page.getByLabel('Work email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page).toHaveURL(url + path)
}
async function bySignOn(page: Page, email: string, path: string) {
  await page.goto(`${url}/sign-in?from=${encodeURIComponent(path)}`)
  await expect(page.getByRole('button', { name: 'Use single sign-on' })).toBeEnabled()
  await page.getByLabel('Work email').fill(email)
  await press(page, 'Use single sign-on')
  await expect(page).toHaveURL(url + path)
}

test('single sign-on is set up, tested, and made the only sign-in', async ({ page }) => {
  test.slow()
  const pageErrors = complaints(page)
  const customer = await newCustomer('alder')
  const email = await customer.member('Ada Min', 'admin')
  issuer.accounts.set(email, { sub: 'ada', email, name: 'Ada Min' })
  await byPassword(page, email, '/sign-on')
  await expect(page.getByText('None yet: members sign in with a password.')).toBeVisible()
  await expectGood(page)

  await page.setViewportSize(PHONE)
  await press(page, 'Add a provider')
  const dialog = page.getByRole('dialog', { name: 'Add a provider' })
  await dialog.getByLabel('Name').fill('Entra ID')
  await dialog.getByLabel('Issuer').fill(`${issuer.issuer}/`)
  await dialog.getByLabel('Client ID').fill(issuer.clientId)
  await dialog.getByLabel('Client secret').fill(issuer.clientSecret)
  await dialog.getByLabel('Becomes a member, with these roles').check()
  await press(page, 'Add a rule')
  await dialog.getByLabel('Value').fill('finance-team')
  await dialog.getByLabel('Grants').selectOption({ label: 'Finance User' })
  await press(page, 'Test and add')
  await expect(dialog.getByRole('alert')).toContainText('calls itself otherwise')
  await expect(dialog.getByLabel('Issuer')).toBeFocused()
  await expectGood(page)
  await press(page, 'Remove rule 1')
  await expect(dialog.getByLabel('Value')).toHaveCount(0)
  await dialog.getByLabel('Issuer').fill(issuer.issuer)
  await press(page, 'Test and add')
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Entra ID Not tried yet' })).toBeVisible()
  await expect(page.locator('body')).not.toContainText(issuer.clientSecret)

  await press(page, 'Add a domain')
  await page.getByLabel('Domain', { exact: true }).fill(customer.domain)
  await press(page, 'Add')
  await press(page, `Check now: ${customer.domain}`)
  await expect(page.getByText(`There is no TXT record _licenses-invoices.${customer.domain}`)).toBeVisible()
  await expectGood(page)
  const text = (await page.getByText(/^licenses-invoices-sign-on=/).textContent()) ?? ''
  names.records.set(`_licenses-invoices.${customer.domain}`, [text])
  await press(page, `Check now: ${customer.domain}`)
  await expect(page.getByText('Verified by DNS on')).toBeVisible()

  const passwords = page.getByRole('switch', { name: 'Allow password sign-in' })
  await passwords.focus()
  await page.keyboard.press('Space')
  await press(page, 'Turn passwords off')
  await expect(page.getByText('Sign out, sign in by single sign-on')).toBeVisible()
  await expectGood(page)
  await page.context().clearCookies()
  await bySignOn(page, email, '/sign-on')
  await waitForHydration(page)
  await passwords.focus()
  await page.keyboard.press('Space')
  await press(page, 'Turn passwords off')
  await expect(page.getByText('Members can sign in only with single sign-on.')).toBeVisible()
  await press(page, 'Remove Entra ID')
  await press(page, 'Remove the provider')
  await expect(page.getByText('no Admin who sees all billing profiles would be sure to get in')).toBeVisible()
  await expectGood(page)
  await press(page, 'Cancel')

  // The issuer ends its session, and ours with it.
  await page.getByText('Settings for the provider').click()
  const address = (await page.getByText(/\/auth\/sign-on\/logout\//).textContent()) ?? ''
  await issuer.logOut('ada', address)
  await page.goto(`${url}/sign-on`)
  await expect(page).toHaveURL(/\/sign-in/)
  expect(pageErrors).toEqual([])
})

test('a directory is connected, and its groups are mapped, on a phone', async ({ page }) => {
  test.slow()
  const pageErrors = complaints(page)
  const customer = await newCustomer('birch')
  const email = await customer.member('Ada Min', 'admin')
  await page.setViewportSize(PHONE)
  await byPassword(page, email, '/sign-on')
  await pressEnter(page.getByRole('link', { name: 'Directory', exact: true }))
  await expect(page).toHaveURL(`${url}/sign-on/directory`)
  await expect(page.getByText(`${url}/scim/v2`)).toBeVisible()
  await expectGood(page)
  await press(page, 'Create token')
  await page
    .getByRole('textbox', { name: 'Name' })
    .fill('Entra ID of the whole company, with a name that is rather long')
  await expectGood(page)
  await pressEnter(page.getByRole('dialog').getByRole('button', { name: 'Create token' }))
  const secret = (await page.getByText(/^scim_[0-9A-Za-z]{36}$/).textContent()) ?? ''
  await expectGood(page)
  await press(page, 'Done')
  const users = () =>
    page.request.get(`${url}/scim/v2/Users`, { headers: { Authorization: `Bearer ${secret}` } })
  expect((await users()).status()).toBe(200)
  await press(page, 'Map a group')
  await page.getByRole('textbox', { name: 'Name' }).fill('Billing team')
  await page.getByRole('checkbox', { name: /Finance User/ }).check()
  await expectGood(page)
  await press(page, 'Save')
  await expect(page.getByText('0 members: Finance User. Billing profiles: All')).toBeVisible()
  await page.reload()
  await expectGood(page)
  await press(page, 'Unmap Billing team')
  await press(page, 'Unmap the group')
  await expect(page.getByText('Not mapped', { exact: true })).toBeVisible()
  await press(page, /^Revoke Entra ID/)
  await press(page, 'Revoke the token')
  await expect(page.getByText('Revoked', { exact: true })).toBeVisible()
  expect((await users()).status()).toBe(401)
  await page.goto(`${url}/members`)
  await expect(page.getByText('No two-step verification')).toBeVisible()
  const demand = page.getByRole('switch', { name: 'Require two-step verification' })
  await demand.focus()
  await page.keyboard.press('Space')
  await expect(page.getByText('Members without it set it up at their next sign-in.')).toBeVisible()
  await expectGood(page)
  expect(pageErrors).toEqual([])
})

test('other members see the required role', async ({ page }) => {
  const customer = await newCustomer('cedar')
  await byPassword(page, await customer.member('It Man', 'it-manager'), '/assets')
  await expect(page.getByRole('link', { name: 'Single sign-on' })).toHaveCount(0)
  for (const path of ['/sign-on', '/sign-on/directory']) {
    await page.goto(url + path)
    await expect(page.getByText('This page needs the role Admin.')).toBeVisible()
    await expectGood(page)
  }
})
