import { expect } from '@playwright/test'
import { newCustomer, PASSWORD } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, giveSession, openMenu, PHONE, signIn, signInByForm } from '../browser.ts'
import { test } from '../reused-page.ts'

const member = { it: '', finance: '', admin: '', changing: '', typo: '' }

test.beforeAll(async () => {
  const customer = await newCustomer('access')
  member.it = await customer.member('Ida Tech', 'it-manager')
  member.finance = await customer.member('Fin Ance', 'finance-user')
  member.admin = await customer.member('Ad Min', 'admin')
  member.changing = await customer.member('Cha Nging', 'it-manager')
  member.typo = await customer.member('Tom Typo', 'it-manager')
})

test('a member signs in by keyboard and continues to the requested page', async ({ page }) => {
  const pageErrors = complaints(page)
  await page.goto('/assets?filter=type:office-suite')
  await expect(page).toHaveURL(/\/sign-in\?from=/)
  await expectGood(page)
  await page.getByLabel('Work email').focus()
  await page.keyboard.type(member.it)
  await page.keyboard.press('Tab')
  await page.keyboard.type('not the password')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert').filter({ hasText: 'Wrong email address or password' })).toBeVisible()
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/assets\?filter=type(:|%3A)office-suite$/)
  expect(pageErrors).toEqual([])
})

test('going back does not show old content after the session ended elsewhere', async ({ page, context }) => {
  const pageErrors = complaints(page)
  await signInByForm(page, member.admin, '/invoices')
  await expect(page.getByRole('heading', { name: 'Invoices', level: 1 })).toBeVisible()
  // Later requests, such as the figures, would redirect by themselves. A request that Playwright never sees end would wait
  // for ever.
  await page.waitForLoadState('networkidle', { timeout: 30_000 }).catch(() => {})
  await context.clearCookies()
  await page.getByRole('link', { name: 'Assets' }).click()
  await expect(page).toHaveURL(/\/sign-in\?from=%2Fassets$/)
  // Once it is a full page.
  await expect(async () => expect(await documentPath()).toBe('/sign-in')).toPass()
  await page.goBack()
  await expect(page).toHaveURL(/\/sign-in\?from=%2Finvoices$/)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in')
  expect(pageErrors).toEqual([])

  function documentPath() {
    return page.evaluate(() => {
      const [entry] = performance.getEntriesByType('navigation')
      return entry && new URL(entry.name).pathname
    })
  }
})

test('the sign-in asks to wait after many wrong passwords, even with the right one', async ({ page }) => {
  const email = member.typo
  await page.goto('/sign-in')
  await page.getByLabel('Work email').fill(email)
  const message = page.getByRole('alert').filter({ hasText: /./ })
  for (let n = 0; n < 5; n++) {
    await page.getByLabel('Password', { exact: true }).fill(`wrong password ${n}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(message).toContainText('Wrong email address or password')
  }
  // The wait grows from five seconds: even a slow machine reaches it.
  await expect(async () => {
    await page.getByLabel('Password', { exact: true }).fill('wrong password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(message).toContainText(
      /Too many failed attempts. Wait \d+ (seconds?|minutes?), then try again/,
    )
  }).toPass()
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(message).toContainText('Too many failed attempts')
})

test('the sign-in stays and reports when the service does not answer', async ({ page }) => {
  await page.goto('/sign-in')
  await page.route('**/api/auth/**', (route) => route.abort())
  await page.getByLabel('Work email').fill(member.it)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByText('No answer from the service')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeEnabled()
})

// lib/platform/caller/rules.test.ts has all cases; browsers parse the second one differently from its text.
test('the sign-in does not redirect to another host', async ({ page, context, baseURL }) => {
  const away = ['//elsewhere.example', '/\t/elsewhere.example']
  for (const path of away) {
    await context.clearCookies()
    await signInByForm(page, member.it, path)
    await expect(page).toHaveURL(`${baseURL}/`)
  }
  // Already signed in: continues immediately, also not to another host.
  for (const path of away) {
    await page.goto(`/sign-in?from=${encodeURIComponent(path)}`)
    await expect(page).toHaveURL(`${baseURL}/`)
  }
})

const SEES = [
  {
    who: 'it',
    links: ['Home', 'Assets', 'Activity', 'API keys'],
    lacks: ['/invoices'],
    needs: 'Finance User or Admin',
  },
  {
    who: 'finance',
    links: ['Home', 'Invoices', 'Billing profiles', 'API keys'],
    lacks: ['/assets', '/assets/bulk'],
    needs: 'IT Manager or Admin',
  },
  {
    who: 'admin',
    links: [
      ...['Home', 'Assets', 'Invoices', 'Billing profiles', 'Activity'],
      ...['Members', 'Single sign-on', 'Invoice emails', 'API keys', 'Webhooks'],
    ],
    lacks: [],
    needs: '',
  },
] as const

for (const { who, links, lacks, needs } of SEES) {
  test(`${who} starts at home and sees the role that other screens need`, async ({ page }) => {
    await signInByForm(page, member[who])
    await expect(page).toHaveURL(/\/$/)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Needs attention')
    await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link')).toHaveText([...links])
    for (const path of lacks) {
      expect((await page.goto(path))?.status()).toBe(403)
      await expect(page.getByText(`This page needs the role ${needs}.`)).toBeVisible()
      await expectGood(page)
    }
  })
}

test('a chosen theme is kept after a reload', async ({ page }) => {
  await page.setViewportSize(PHONE)
  await signIn(page, member.it)
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const light = await ground()
  await openMenu(page)
  await page.getByRole('radio', { name: 'Dark' }).check({ force: true })
  await expect.poll(ground).not.toBe(light)
  const dark = await ground()
  await page.reload()
  expect(await ground()).toBe(dark)
  await openMenu(page)
  await page.getByRole('radio', { name: 'System' }).check({ force: true })
  await expectGood(page)
})

test('a member changes their password: errors at the field, other sessions end, this one stays', async ({
  page,
  browser,
  baseURL,
}) => {
  const elsewhere = await browser.newPage({ baseURL })
  await signInByForm(elsewhere, member.changing)
  await signInByForm(page, member.changing)
  await page.getByRole('button', { name: /Cha Nging/ }).click()
  await page.getByRole('button', { name: 'Change password' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change password' })
  const field = (label: string) => dialog.getByLabel(label, { exact: true })
  const fill = async (current: string, next: string, again = next) => {
    await field('Current password').fill(current)
    await field('New password').fill(next)
    await field('New password, again').fill(again)
    await page.keyboard.press('Enter')
  }
  await fill(PASSWORD, 'another password', 'another pasword')
  await expect(field('New password, again')).toHaveAccessibleDescription('The two new passwords differ.')
  await fill(PASSWORD, 'short')
  await expect(field('New password')).toHaveAccessibleDescription(/at least 10 characters\.$/)
  await fill('not my password', 'another password')
  await expect(field('Current password')).toHaveAccessibleDescription('This is not your current password.')
  await expect(field('Current password')).toBeFocused()
  await expectGood(page)
  await fill(PASSWORD, 'another password')
  await expect(page.getByText('Password changed. Your other sessions were signed out.')).toBeVisible()
  await expect(page.getByRole('button', { name: /Cha Nging/ })).toBeFocused()
  await page.reload()
  await expect(page).toHaveURL(/\/$/)
  await elsewhere.reload()
  await expect(elsewhere).toHaveURL(/\/sign-in/)
  await signInByForm(elsewhere, member.changing, '/', 'another password')
  await expect(elsewhere).toHaveURL(/\/$/)
  await elsewhere.close()
})

test('a sign-out ends the session, also for a copy of its cookie', async ({ page, context }) => {
  await signInByForm(page, member.it)
  const before = await context.cookies()
  await page.getByRole('button', { name: /Ida Tech/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page).toHaveURL(/\/sign-in$/)
  await context.addCookies(before)
  await page.goto('/assets')
  await expect(page).toHaveURL(/\/sign-in\?from=%2Fassets$/)
})

test('pages without content are painted without scripts', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  for (const [path, heading] of [
    ['/nothing/here', 'Page not found'],
    ['/unsubscribe?link=none', 'This link is not valid'],
  ] as const) {
    expect([path, (await page.goto(path))?.status()]).toEqual([path, 404])
    await expect(page.getByRole('heading', { name: heading })).toBeVisible()
    await expect(page.locator('noscript p')).toBeVisible()
  }
  await context.close()
})

test('an unknown address shows an error with a way out', async ({ page }) => {
  await giveSession(page.context(), member.it)
  const answer = await page.goto('/nothing/here')
  expect(answer?.status()).toBe(404)
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  await expectGood(page)
  await page.getByRole('link', { name: 'Go to Home' }).click()
  await expect(page).toHaveURL(/\/$/)
})
