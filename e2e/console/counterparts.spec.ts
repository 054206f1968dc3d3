import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import ICAL from 'ical.js'
import PostalMime from 'postal-mime'
import { type HttpsProxy, startHttpsProxy } from '../../test/fakes/https-proxy.ts'
import { startCatcher } from '../../test/fakes/mail/catcher.ts'
import { asset, invoice, newCustomer, PASSWORD } from '../admin.ts'
import { complaints } from '../browser.ts'
import { day } from '../days.ts'
import { isolatedEnvironment, startIsolatedApp } from '../isolated-app.ts'

// The console as members and programs of others meet it: behind a proxy with https, read by a calendar's and a mail
// program's own parser.

test.use({ ignoreHTTPSErrors: true })
test.describe.configure({ mode: 'serial' })

let proxy: HttpsProxy
let app: Awaited<ReturnType<typeof startIsolatedApp>>
let customer: Awaited<ReturnType<typeof newCustomer>>
let email = ''

test.beforeAll(async () => {
  proxy = await startHttpsProxy()
  const env = isolatedEnvironment(mkdtempSync(join(tmpdir(), 'https-')), {
    BASE_URL: proxy.url,
    TRUST_PROXY: '1',
  })
  app = await startIsolatedApp(env)
  proxy.forwardTo(app.port)
  customer = await newCustomer('birch', env)
  email = await customer.member('Secure Person', 'admin')
})
test.afterAll(async () => {
  app.kill('SIGTERM')
  await app.ended
  await proxy.close()
})

test('over https each cookie is Secure and bound to the host, and a calendar reads the renewals', async ({
  page,
  context,
}) => {
  const pageErrors = complaints(page)
  const end = day(30)
  await customer.importAssets([
    asset('workspace-suite-1', 'Business Plus, annual', { purchased: 12, commitmentEnd: `${end}T00:00:00Z` }),
  ])
  const answer = await page.goto(`${proxy.url}/sign-in`)
  expect(answer?.headers()['strict-transport-security']).toMatch(/^max-age=31536000/)
  const password = page.getByLabel('Password', { exact: true })
  await expect(password).toHaveAttribute('type', 'password')
  await expect(password).toHaveAttribute('autocomplete', 'current-password')
  await page.getByLabel('Work e-mail').fill(email)
  await password.fill(PASSWORD)
  await page.getByRole('button', { name: /^Sign in$/ }).click()
  await expect(page).toHaveURL(`${proxy.url}/`)
  const cookies = await context.cookies()
  expect(cookies.map(({ name }) => name)).toContain('__Host-console-session')
  for (const cookie of cookies)
    expect(cookie).toMatchObject({
      name: expect.stringMatching(/^__Host-/),
      secure: true,
      path: '/',
      domain: 'localhost',
    })

  const made = await page.request.post(`${proxy.url}/billing/v1/renewal-feed`, {
    data: {},
    headers: { Origin: proxy.url },
  })
  expect(made.status()).toBe(200)
  const { url } = await made.json()
  expect(url).toContain(`${proxy.url}/calendar/`)
  // A calendar has no cookies.
  await context.clearCookies()
  const calendar = new ICAL.Component(ICAL.parse(await (await page.request.get(url)).text()))
  const events = calendar.getAllSubcomponents('vevent').map((one) => new ICAL.Event(one))
  const renewal = events.find(({ startDate }) => startDate.toString() === end)
  expect(renewal).toMatchObject({ summary: expect.stringContaining('Business Plus, annual') })
  expect(renewal?.startDate.isDate).toBe(true)
  expect(new Set(events.map(({ uid }) => uid)).size).toBe(events.length)
  expect(pageErrors).toEqual([])
})

test('a mail program unsubscribes with one click, as RFC 8058 describes it', async ({ request }) => {
  const catcher = await startCatcher()
  const overdue = { invoiceDate: day(-40), dueDate: day(-10) }
  await customer.importInvoices([invoice('B-1', overdue)])
  const to = `ap@${customer.domain}`
  expect(await customer.sendNotices(to, catcher.url)).toBe(1)
  const read = await PostalMime.parse(Buffer.from(catcher.mails[0]?.raw ?? '', 'latin1'))
  const header = (key: string) => read.headers.find((one) => one.key === key)?.value ?? ''
  expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  const [, address = ''] = /<(https:[^>]+)>/.exec(header('list-unsubscribe')) ?? []
  expect(address).toContain(`${proxy.url}/api/unsubscribe?link=`)
  expect(read.text).toContain('B-1')
  const form = { 'List-Unsubscribe': 'One-Click' }
  const answer = await request.post(address, { form, maxRedirects: 0 })
  expect(answer.status()).toBe(200)
  await customer.importInvoices([invoice('B-2', overdue)])
  expect(await customer.sendNotices(to, catcher.url)).toBe(0)
  await catcher.close()
})
