import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContextOptions, expect, type Page, test } from '@playwright/test'
import { Secret, TOTP } from 'otpauth'
import { type NameServer, startNameServer } from '../../test/fakes/issuers/name-server.ts'
import { type FakeIssuer, startIssuer } from '../../test/fakes/issuers/provider.ts'
import { type Catcher, startCatcher } from '../../test/fakes/mail/catcher.ts'
import { newCustomer, PASSWORD, sendMails } from '../admin.ts'
import { expectGoodAsItIs } from '../axe-checks.ts'
import { complaints, PHONE, signIn } from '../browser.ts'
import { freePort } from '../free-port.ts'
import { byKeyboard, byTouch, type InputDriver } from '../input-driver.ts'
import { isolatedEnvironment, startIsolatedApp } from '../isolated-app.ts'

// Five journeys with accounts and keys, each only by the keyboard, and each by touch on a phone in the dark. Axe
// checks every state: opened, refused, and done.

const NEW = 'a new horse battery'
type Customer = Awaited<ReturnType<typeof newCustomer>>
let sharedCustomer: Customer
let there: { app: Awaited<ReturnType<typeof startIsolatedApp>>; env: NodeJS.ProcessEnv; url: string }
let servers: { issuer: FakeIssuer; names: NameServer; mails: Catcher }

test.beforeAll(async () => {
  sharedCustomer = await newCustomer('journeys')
  servers = { issuer: await startIssuer(), names: await startNameServer(), mails: await startCatcher() }
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = isolatedEnvironment(mkdtempSync(join(tmpdir(), 'journeys-')), {
    ...{ PORT: String(port), BASE_URL: url, SIGN_ON_DNS: servers.names.address },
    SIGN_ON_PRIVATE_HOSTS: new URL(servers.issuer.issuer).host,
    ...{ SMTP_URL: servers.mails.url, MAIL_FROM: 'billing@reseller.example' },
  })
  there = { app: await startIsolatedApp(env), env, url }
})
test.afterAll(async () => {
  there.app.kill('SIGTERM')
  await there.app.ended
  await Promise.all([servers.issuer.close(), servers.names.close(), servers.mails.close()])
})

type At = InputDriver & {
  page: Page
  button: (name: string | RegExp) => ReturnType<Page['getByRole']>
  field: (name: string) => ReturnType<Page['getByRole']>
  /** Returns a password field by its label: password inputs have no ARIA role. */
  secret: (label: string) => ReturnType<Page['getByLabel']>
  /** Waits for a message, and checks the page with axe. */
  sees: (what: ReturnType<Page['getByText']>) => Promise<void>
  alert: (text: string | RegExp) => ReturnType<Page['getByRole']>
}

const JOURNEYS: Record<string, (at: At, name: string) => Promise<void>> = {
  async invitation({ page, press, type, button, field, secret, sees, alert }, name) {
    await signIn(page, await sharedCustomer.member(`Ada ${name}`, 'admin'), '/members')
    await press(button('Invite a member'))
    await sees(page.getByRole('dialog', { name: 'Invite a member' }))
    await type(field('Email address'), `ada.${name}@${sharedCustomer.domain}`)
    await type(field('Name'), 'Cleo Marsh')
    await press(button('Invite'))
    await sees(page.getByText('Choose at least one role.'))
    await press(page.getByRole('checkbox', { name: /^Finance User/ }))
    await press(button('Invite'))
    await sees(page.getByText('This address is a member already, or is invited.'))
    await type(field('Email address'), `cleo.${name}@${sharedCustomer.domain}`)
    await press(button('Invite'))
    await sees(page.getByRole('dialog', { name: 'Cleo Marsh is invited' }))
    const link = await field('Link').inputValue()
    await press(button('Done'))
    await sees(page.getByRole('row').filter({ hasText: `cleo.${name}` }))

    await page.context().clearCookies()
    await page.goto(link)
    await sees(page.getByText('To the licenses and invoices of journeys Ltd'))
    await setPassword('password1234')
    await sees(alert('most common'))
    await setPassword(NEW)
    await expect(page).toHaveURL(/:\d+\/$/)

    async function setPassword(password: string) {
      for (const label of ['New password', 'New password, again']) await type(secret(label), password)
      await press(button('Set password and sign in'))
    }
  },

  async reset({ page, press, type, button, field, secret, sees }, name) {
    const customer = await newCustomer(`reset-${name}`, there.env)
    const email = await customer.member('For Got', 'it-manager')
    await page.goto(`${there.url}/sign-in`)
    await sees(page.getByRole('heading', { name: 'Sign in' }))
    await press(page.getByRole('link', { name: 'Forgot password?' }))
    await sees(button('Send the link'))
    await type(field('Work email'), email)
    await press(button('Send the link'))
    await sees(page.getByRole('status').filter({ hasText: 'we’ve emailed a link' }))
    // The app's job may be first.
    await sendMails(servers.mails.url, there.env)
    const mailed = () =>
      servers.mails.mails.find((one) => one.to.includes(email) && /\/reset\//.test(one.text))
    await expect.poll(mailed).toBeDefined()
    await page.goto(/http\S+\/reset\/\S+/.exec(mailed()?.text ?? '')?.[0] ?? '')
    await sees(page.getByText(`For ${email}`))
    await type(secret('New password'), NEW)
    await type(secret('New password, again'), `${NEW}!`)
    await press(button('Set password and sign in'))
    await sees(page.getByText('The two passwords differ.'))
    await type(secret('New password, again'), NEW)
    await press(button('Set password and sign in'))
    await expect(page).toHaveURL(`${there.url}/`)
  },

  async rotation({ page, press, type, button, secret, sees }, name) {
    await signIn(page, await sharedCustomer.member(`Rota ${name}`, 'it-manager'), '/keys')
    await page.evaluate(async () => {
      const body = JSON.stringify({ name: 'Sync', roles: ['it-manager'] })
      await fetch('/billing/v1/keys', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      })
    })
    await page.reload()
    await sharedCustomer.ageSignIns()
    await press(button('Actions for Sync'))
    await sees(button('Rotate'))
    await press(button('Rotate'))
    await sees(page.getByRole('dialog', { name: 'Rotate key' }))
    // The dialog is rendered within a right-aligned table cell.
    await expect(page.getByRole('dialog')).toHaveCSS('text-align', 'left')
    await press(page.getByRole('radio', { name: '7 days' }))
    await press(button('Rotate key'))
    const confirm = page.getByRole('dialog', { name: 'Confirm it’s you' })
    await sees(confirm.getByLabel('Password', { exact: true }))
    await type(secret('Password'), 'not the password')
    await press(button('Confirm'))
    await sees(confirm.getByText('This is not your password.'))
    await type(secret('Password'), PASSWORD)
    await press(button('Confirm'))
    await sees(page.getByRole('dialog', { name: 'Key rotated' }))
    await press(button('Copy key'))
    await sees(page.getByText('Copied', { exact: true }))
    await press(button('Done'))
    await sees(page.getByRole('row').filter({ hasText: 'Being replaced' }))
  },

  async 'second factor'({ page, press, type, button, field, secret, sees, alert }, name) {
    const email = await sharedCustomer.member(`Tot ${name}`, 'it-manager')
    await signIn(page, email, '/second-factor')
    await press(button('Set up an app'))
    await sees(page.getByRole('img', { name: 'QR code for your authenticator app' }))
    const secretText = await page.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/).textContent()
    const totp = new TOTP({ secret: Secret.fromBase32((secretText ?? '').replaceAll(' ', '')) })
    await type(field('Code'), '000000')
    await press(button('Set up'))
    await sees(page.getByText('This is not the code that the app shows now.'))
    await type(field('Code'), totp.generate())
    await press(button('Set up'))
    await sees(page.getByRole('listitem').filter({ hasText: 'Authenticator app' }))
    await press(button('Create recovery codes'))
    await sees(page.getByText('You won’t see them again.'))

    await page.context().clearCookies()
    await page.goto('/sign-in?from=/assets')
    await type(field('Work email'), email)
    await type(secret('Password'), PASSWORD)
    await press(button('Sign in'))
    await sees(field('Code'))
    await type(field('Code'), '000000')
    await press(button('Go on'))
    await sees(alert('This code is wrong, or was used before.'))
    // A used code is not accepted again.
    await type(field('Code'), totp.generate({ timestamp: Date.now() + 30_000 }))
    await press(button('Go on'))
    await expect(page).toHaveURL(/\/assets$/)
  },

  async 'single sign-on'({ page, press, type, button, field, secret, sees, alert }, name) {
    const { issuer, names } = servers
    const customer = await newCustomer(`sso-${name}`, there.env)
    await signIn(page, await customer.member('Ada Min', 'admin'), '/sign-on')
    await press(button('Add a provider'))
    await sees(page.getByRole('dialog', { name: 'Add a provider' }))
    await type(field('Name'), 'Entra ID')
    await type(field('Issuer'), `${issuer.issuer}/`)
    await type(field('Client ID'), issuer.clientId)
    await type(secret('Client secret'), issuer.clientSecret)
    await press(page.getByRole('radio', { name: 'Becomes a member, with these roles' }))
    await press(button('Test and add'))
    await sees(page.getByText('calls itself otherwise'))
    await type(field('Issuer'), issuer.issuer)
    await press(button('Test and add'))
    await sees(page.getByRole('heading', { name: /^Entra ID/ }))
    await press(button('Add a domain'))
    await sees(field('Domain'))
    await type(field('Domain'), customer.domain)
    await press(button('Add'))
    await press(button(`Check now: ${customer.domain}`))
    await sees(page.getByText(`There is no TXT record _licenses-invoices.${customer.domain}`))
    const record = (await page.getByText(/^licenses-invoices-sign-on=/).textContent()) ?? ''
    names.records.set(`_licenses-invoices.${customer.domain}`, [record])
    await press(button(`Check now: ${customer.domain}`))
    await sees(page.getByText('Verified by DNS on'))

    const email = `ida@${customer.domain}`
    issuer.accounts.set(email, { sub: `ida of ${name}`, email, name: 'Ida Tech' })
    await page.context().clearCookies()
    await page.goto('/sign-in?from=/assets')
    await type(field('Work email'), `ida@elsewhere.${customer.domain}`)
    await press(button('Use single sign-on'))
    await sees(alert('There is no single sign-on for this address.'))
    await type(field('Work email'), email)
    await press(button('Use single sign-on'))
    await expect(page).toHaveURL(`${there.url}/assets`)
  },
}

const DRIVERS: Record<string, { hands: (page: Page) => InputDriver; how: BrowserContextOptions }> = {
  'by keyboard alone': { hands: byKeyboard, how: {} },
  'on a phone in the dark': { hands: byTouch, how: { viewport: PHONE, hasTouch: true, colorScheme: 'dark' } },
}

for (const [name, { hands, how }] of Object.entries(DRIVERS))
  for (const [journey, go] of Object.entries(JOURNEYS))
    test(`${journey} ${name}`, { tag: '@deep' }, async ({ browser, baseURL }) => {
      const isElsewhere = journey === 'reset' || journey === 'single sign-on'
      const permissions = ['clipboard-read', 'clipboard-write']
      const context = await browser.newContext({
        ...{ baseURL: isElsewhere ? there.url : (baseURL ?? ''), reducedMotion: 'reduce', permissions },
        ...how,
      })
      const page = await context.newPage()
      const pageErrors = complaints(page)
      await go(
        {
          page,
          ...hands(page),
          button: (name) => page.getByRole('button', { name, exact: true }),
          field: (name) => page.getByRole('textbox', { name, exact: true }),
          secret: (label) => page.getByLabel(label, { exact: true }),
          alert: (text) => page.getByRole('alert').filter({ hasText: text }),
          async sees(what) {
            await expect(what).toBeVisible()
            await expectGoodAsItIs(page)
          },
        },
        hands === byTouch ? 'phone' : 'keys',
      )
      expect(pageErrors).toEqual([])
      await context.close()
    })
