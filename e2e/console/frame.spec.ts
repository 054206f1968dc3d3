import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import ICAL from 'ical.js'
import PostalMime from 'postal-mime'
import { type Embedded, startEmbedded } from '#lib/platform/db/embedded.ts'
import { type HttpsProxy, startHttpsProxy } from '../../test/fakes/https-proxy.ts'
import { type Catcher, startCatcher } from '../../test/fakes/mail/catcher.ts'
import { asset, invoice, newCustomer, PASSWORD, sendMails } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { openBlockingProxy } from '../blocking-proxy.ts'
import { complaints, PHONE, typeTwice } from '../browser.ts'
import { day } from '../days.ts'
import { isolatedEnvironment, startIsolatedApp } from '../isolated-app.ts'
import { openConnection } from '../tcp-connection.ts'

// The console behind a proxy with https and with a mail server, as members and programs of others meet it; and a database
// that delays or loses its answers.

test.use({ ignoreHTTPSErrors: true })

const data = mkdtempSync(join(tmpdir(), 'licenses-invoices-frame-'))
let proxy: HttpsProxy
let catcher: Catcher
let env: NodeJS.ProcessEnv
let embedded: Embedded
let gate: Awaited<ReturnType<typeof openBlockingProxy>>
let app: Awaited<ReturnType<typeof startIsolatedApp>>
let customer: Awaited<ReturnType<typeof newCustomer>>
let email = ''
let cookie: string
/** Address behind the proxy, for requests without a browser. */
let direct = ''

test.beforeAll(async () => {
  proxy = await startHttpsProxy()
  catcher = await startCatcher()
  embedded = await startEmbedded(data)
  gate = await openBlockingProxy(embedded.url)
  const secret = 'only-for-tests-only-for-tests-only'
  const secrets = { SESSION_SECRET: secret, DATABASE_SECRET: secret }
  env = isolatedEnvironment(data, {
    ...{ DATABASE_URL: gate.url, METRICS_PORT: '0', ANSWER_CACHE_MB: '0' },
    ...{ ...secrets, BASE_URL: proxy.url, TRUST_PROXY: '1' },
    ...{ SMTP_URL: catcher.url, MAIL_FROM: 'billing@reseller.example' },
  })
  app = await startIsolatedApp(env)
  proxy.forwardTo(app.port)
  direct = `http://127.0.0.1:${app.port}`
  customer = await newCustomer('frame', env)
  const others = Array.from({ length: 60 }, (_, index) => asset(`workspace-suite-${index}`, `Suite ${index}`))
  await customer.importAssets([asset('collab-suite-1', 'Needle', { purchased: 10 }), ...others])
  await customer.importInvoices([invoice('IN-1')])
  const line = openConnection(direct)
  email = await customer.member('Ada', 'admin')
  const { csrfToken } = JSON.parse((await line.request('/api/auth/csrf')).body)
  const body = new URLSearchParams({ email, password: PASSWORD, csrfToken, json: 'true' }).toString()
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': `${body.length}` }
  expect(
    (await line.request('/api/auth/callback/credentials', { method: 'POST', headers, body })).status,
  ).toBe(200)
  cookie = line.cookie()
  line.close()
})

test.afterAll(async () => {
  app?.kill('SIGTERM')
  await app?.ended
  await proxy?.close()
  await catcher?.close()
  await gate?.close()
  await embedded?.release()
  rmSync(data, { recursive: true, force: true })
})

for (const [path, table, row] of [
  ['/assets', '"assets"', 'workspace-suite-'],
  ['/invoices', '"invoices"', 'IN-1'],
  ['/invoices/statement', '"invoices"', 'IN-1'],
  ['/activity', '"license_changes"', 'No changes'],
  ['/activity/events', '"audit_events"', 'Signed in'],
  // That there is one is known earlier; the slow part is rendered next to it.
  ['/assets/collab-suite-1', '"seat_readings"', 'in the last 12 months'],
  ['/invoices/IN-1', '"parties"."content" from "invoices"', 'Billed to'],
] as const) {
  test(`${path} sends its frame before the database answers`, async () => {
    gate.hold(table)
    const { status, headers, body } = await fetch(direct + path, { headers: { cookie } })
    expect(status).toBe(200)
    const nonce = /'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '')?.[1]
    let html = ''
    let isFramed = false
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      html += chunk
      if (isFramed || !html.includes('</h1>') || !html.includes('Loading')) continue
      isFramed = true
      expect(html).toContain('href="/activity"')
      expect(html).not.toContain(row)
      gate.release()
    }
    expect(isFramed).toBe(true)
    expect(html).toContain(row)
    for (const [script] of html.matchAll(/<script[^>]*>/g)) expect(script).toContain(`nonce="${nonce}"`)
  })
}

test('an answer without a session, or for an unknown address, has its status before any content', async () => {
  const away = await fetch(`${direct}/invoices`, { redirect: 'manual' })
  expect([away.status, away.headers.get('location')]).toEqual([307, '/sign-in?from=%2Finvoices'])
  // The content is in the HTML, and not drawn by its scripts later.
  for (const path of [
    '/invoices/none',
    '/assets/none',
    '/invoices/compare?from=A&to=B',
    '/webhooks/none',
    '/nothing/here',
  ]) {
    const missing = await fetch(direct + path, { headers: { cookie } })
    const html = await missing.text()
    expect([path, missing.status]).toEqual([path, 404])
    expect(html).toMatch(/<h1[^>]*>Page not found<\/h1>/)
    if (path !== '/webhooks/none') expect(html).toMatch(/<title>Page not found/)
  }
})

test('the HTML of a long list has the first rows, and the browser shows all', async ({ page, context }) => {
  const path = '/assets?maxResults=60'
  const html = await (await fetch(direct + path, { headers: { cookie } })).text()
  expect(html.match(/<tr /g)).toHaveLength(1 + 50)
  await context.addCookies([sessionCookie()])
  await page.goto(proxy.url + path)
  await expect(page.getByRole('row')).toHaveCount(1 + 60)
})

test('delayed content appears in its place, and moves nothing', async ({ page, context }) => {
  await context.addCookies([sessionCookie()])
  const delayed = page.getByRole('link', { name: 'Needle' })
  const failure = page.getByRole('heading', { name: 'This page could not be shown' })
  const frame = [page.locator('header'), page.locator('h1'), page.locator('nav')]
  const tops = () =>
    Promise.all(
      frame.map((part) =>
        part.evaluateAll((all) => all.map((one) => JSON.stringify(one.getBoundingClientRect()))),
      ),
    )
  let before: string[][] = []
  let isDelayed = false
  // On a busy machine the query reaches its time limit before the styles have loaded, and the browser may then have read
  // the list by itself: the page is loaded again.
  for (let loads = 0; !isDelayed && loads < 20; loads++) {
    // Another list than above, whose statement is prepared on its connection by now and has no text any more.
    gate.hold('"assets"')
    await page.goto(`${proxy.url}/assets?search=Needle`, { waitUntil: 'commit' })
    await expect(page.getByRole('heading', { level: 1, name: 'Assets' }).or(failure)).toBeVisible()
    // Before the styles or the font have loaded, the frame's layout differs from the visible one.
    await page.waitForFunction(() =>
      [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')].every(({ sheet }) => sheet),
    )
    await page.evaluate(() => document.fonts.ready)
    await page.waitForFunction(() =>
      [...document.querySelectorAll('template[id^="B:"]')].every((streamed) => streamed.closest('main')),
    )
    before = await tops()
    const isHeld = (await page.getByText('Loading…').count()) > 0 && !(await delayed.isVisible())
    gate.release()
    await expect(delayed.or(failure)).toBeVisible()
    isDelayed = isHeld && (await delayed.isVisible())
  }
  expect(isDelayed).toBe(true)
  await expect(page.getByText('Loading…')).not.toBeAttached()
  expect(await tops()).toEqual(before)
})

/** Returns how many pages have failed, as the metrics count them. */
async function failedPages(): Promise<number> {
  const [, metrics = ''] = /"url":"([^"]*\/metrics)"/.exec(app.output()) ?? []
  const text = await (await fetch(metrics)).text()
  const count = /duration_seconds_count{route="page",method="GET",status="500"} (\d+)/.exec(text)?.[1]
  return Number(count ?? 0)
}

test('a failure after the frame was sent is shown in its place, and counted by its kind', async ({
  page,
  context,
}) => {
  await context.addCookies([sessionCookie()])
  const before = await failedPages()
  gate.hold('"license_changes"')
  await page.goto(`${proxy.url}/activity?filter=state:APPLIED`, { waitUntil: 'commit' })
  await expect(page.getByText('Loading…')).toBeAttached()
  gate.lose()
  await expect(page.getByRole('heading', { name: 'This page could not be shown' })).toBeVisible()
  await expect(page.getByRole('alert').filter({ hasText: 'Something failed on our side' })).toBeVisible()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  await expect(page.getByText('Loading…')).not.toBeAttached()
  const line = () => /{[^\n]*"path":"\/activity"[^\n]*"failed":true[^\n]*}/.exec(app.output())?.[0]
  await expect.poll(line).toBeDefined()
  expect(JSON.parse(line() ?? '')).toMatchObject({ status: 200, route: 'page', failed: true })
  expect(await failedPages()).toBe(before + 1)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('Nothing matches')).toBeVisible()
})

test('over https each cookie is Secure and bound to the host, and a calendar reads the renewals', async ({
  page,
  context,
}) => {
  const pageErrors = complaints(page)
  const end = day(30)
  await customer.importAssets([
    asset('office-suite-1', 'Business Plus, annual', { purchased: 12, commitmentEnd: `${end}T00:00:00Z` }),
  ])
  const answer = await page.goto(`${proxy.url}/sign-in`)
  expect(answer?.headers()['strict-transport-security']).toMatch(/^max-age=31536000/)
  const password = page.getByLabel('Password', { exact: true })
  await expect(password).toHaveAttribute('type', 'password')
  await expect(password).toHaveAttribute('autocomplete', 'current-password')
  await page.getByLabel('Work email').fill(email)
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

test('a forgotten password is reset by a mail, on a phone and by keyboard', async ({ page }) => {
  const email = await customer.member('For Got', 'it-manager')
  await page.setViewportSize(PHONE)
  const answers = []
  for (const address of [`nobody@${customer.domain}`, email]) {
    await page.goto(`${proxy.url}/sign-in/forgotten`)
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
  await expect(page).toHaveURL(`${proxy.url}/`)
  expect(app.output()).not.toContain(link.split('/').at(-1))
})

test('a mail program unsubscribes with one click, as RFC 8058 describes it', async ({ request }) => {
  const overdue = { invoiceDate: day(-40), dueDate: day(-10) }
  await customer.importInvoices([invoice('B-1', overdue)])
  const to = `ap@${customer.domain}`
  await customer.sendNotices(to, catcher.url)
  // The app's job may have been first.
  const mail = () => catcher.mails.find(({ to: recipients }) => recipients.includes(to))
  await expect.poll(mail).toBeDefined()
  const read = await PostalMime.parse(Buffer.from(mail()?.raw ?? '', 'latin1'))
  const header = (key: string) => read.headers.find((one) => one.key === key)?.value ?? ''
  expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  const [, address = ''] = /<(https:[^>]+)>/.exec(header('list-unsubscribe')) ?? []
  expect(address).toContain(`${proxy.url}/api/unsubscribe?link=`)
  expect(read.text).toContain('B-1')
  const form = { 'List-Unsubscribe': 'One-Click' }
  const answer = await request.post(address, { form, maxRedirects: 0 })
  expect(answer.status()).toBe(200)
  const headers = { authorization: `Bearer ${await customer.key('admin')}` }
  const list = await request.get(`${direct}/billing/v1/notice-recipients`, { headers })
  expect((await list.json()).recipients).toMatchObject([{ email: to, state: 'stopped' }])
})

function sessionCookie() {
  const [, name = '', value = ''] = /([\w-]+-session)=([^;]+)/.exec(cookie) ?? []
  return { name, value, url: proxy.url, secure: true }
}
