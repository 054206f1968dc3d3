import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { type Catcher, startCatcher } from '../../test/fakes/mail/catcher.ts'
import { newCustomer, PASSWORD, sendMails } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, PHONE, press, typeTwice } from '../browser.ts'
import { freePort } from '../free-port.ts'
import { isolatedEnvironment, postmaster, startIsolatedApp } from '../isolated-app.ts'

// A console under a name, which passkeys need, and with a mail server.

let catcher: Catcher
let data = ''
let env: NodeJS.ProcessEnv
let app: Awaited<ReturnType<typeof startIsolatedApp>>
let url = ''

test.beforeAll(async () => {
  catcher = await startCatcher()
  const port = await freePort()
  url = `http://localhost:${port}`
  data = mkdtempSync(join(tmpdir(), 'named-'))
  env = isolatedEnvironment(data, {
    ...{ PORT: String(port), BASE_URL: url },
    ...{ SMTP_URL: catcher.url, MAIL_FROM: 'billing@reseller.example' },
  })
  app = await startIsolatedApp(env)
})
test.afterAll(async () => {
  app?.kill('SIGTERM')
  await app?.ended
  await catcher?.close()
})

test('a start prints its address first, and nothing of Next', () => {
  const lines = app.output().trim().split('\n')
  expect(lines[0]).toMatch(/^Listening on http/)
  expect(lines.slice(1).filter((line) => !line.startsWith('{'))).toEqual([])
})

test('a forgotten password is reset by a mail, on a phone and by keyboard', async ({ page }) => {
  const customer = await newCustomer('cedar', env)
  const email = await customer.member('For Got', 'it-manager')
  await page.setViewportSize(PHONE)
  const answers = []
  for (const address of [`nobody@${customer.domain}`, email]) {
    await page.goto(`${url}/sign-in/forgotten`)
    await expect(page.getByRole('button', { name: 'Send the link' })).toBeEnabled()
    await expectGood(page)
    await page.getByLabel('Work email').focus()
    await page.keyboard.type(address)
    await page.keyboard.press('Enter')
    // The empty toast region is a status, too.
    answers.push(await page.getByRole('status').filter({ hasText: /\S/ }).textContent())
  }
  expect(new Set(answers).size).toBe(1)
  await expectGood(page)
  await sendMails(catcher.url, env)
  // The app's job may have been first.
  await expect.poll(() => catcher.mails.filter(({ text }) => text.includes('/reset/')).length).toBe(1)
  const mail = catcher.mails.find(({ text }) => text.includes('/reset/'))
  expect(mail?.to).toEqual([email])
  const link = /http\S+\/reset\/\S+/.exec(mail?.text ?? '')?.[0] ?? ''
  await page.goto(link)
  await expectGood(page)
  await typeTwice(page, 'a new horse battery')
  await expect(page).toHaveURL(`${url}/`)
  expect(app.output()).not.toContain(link.split('/').at(-1))
})

test('a passkey signs in with or without a password, and is removed', async ({ page }) => {
  const pageErrors = complaints(page)
  const customer = await newCustomer('cedar', env)
  const email = await customer.member('Pas Key', 'it-manager')
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await page.setViewportSize(PHONE)
  await signInAt(page, url, email)
  await page.goto(`${url}/second-factor`)
  await press(page, 'Add a passkey')
  await expectGood(page)
  await page.getByLabel('Name').fill('Work phone')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('listitem').filter({ hasText: 'Work phone' })).toBeVisible()
  await expectGood(page)

  await page.context().clearCookies()
  await page.goto(`${url}/sign-in`)
  await expectGood(page)
  await press(page, 'Use a passkey instead')
  await expect(page).toHaveURL(`${url}/`)

  await page.context().clearCookies()
  await signInAt(page, url, email)
  await expect(page).toHaveURL(/\/sign-in\/factor/)
  await expectGood(page)
  await press(page, 'Use a passkey')
  await expect(page).toHaveURL(`${url}/`)

  // The device refuses: the page shows an error, and is otherwise unchanged.
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
  await page.context().clearCookies()
  await page.goto(`${url}/sign-in`)
  await press(page, 'Use a passkey instead')
  await expect(page.getByRole('alert').filter({ hasText: /passkey/ })).toBeVisible()
  await expectGood(page)
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
  await press(page, 'Use a passkey instead')
  await expect(page).toHaveURL(`${url}/`)
  await page.goto(`${url}/second-factor`)
  await press(page, 'Remove Work phone')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('Not set up. Your account is protected')).toBeVisible()
  await page.context().clearCookies()
  await page.goto(`${url}/sign-in`)
  await press(page, 'Use a passkey instead')
  await expect(page.getByRole('alert').filter({ hasText: 'Use your password.' })).toBeVisible()
  expect(pageErrors.filter((line) => !line.includes('401'))).toEqual([])
})

test('SIGTERM ends the app with 0, and with it the embedded database', async () => {
  expect(postmaster(data)).toBeGreaterThan(0)
  app.kill('SIGTERM')
  expect(await app.ended).toBe(0)
  expect(postmaster(data)).toBeUndefined()
})

async function signInAt(page: Page, url: string, email: string) {
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('Work email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await press(page, /^Sign in$/)
  await page.waitForURL((to) => to.pathname !== '/sign-in')
}
