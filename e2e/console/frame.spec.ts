import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { type Embedded, startEmbedded } from '#lib/platform/db/embedded.ts'
import { asset, invoice, newCustomer, PASSWORD } from '../admin.ts'
import { openBlockingProxy } from '../blocking-proxy.ts'
import { isolatedEnvironment, startIsolatedApp } from '../isolated-app.ts'
import { openConnection } from '../tcp-connection.ts'

const data = mkdtempSync(join(tmpdir(), 'licenses-invoices-frame-'))
let embedded: Embedded
let gate: Awaited<ReturnType<typeof openBlockingProxy>>
let app: Awaited<ReturnType<typeof startIsolatedApp>>
let cookie: string

test.beforeAll(async () => {
  embedded = await startEmbedded(data)
  gate = await openBlockingProxy(embedded.url)
  const secret = 'only-for-tests-only-for-tests-only'
  const secrets = { SESSION_SECRET: secret, DATABASE_SECRET: secret }
  const env = isolatedEnvironment(data, {
    ...{ DATABASE_URL: gate.url, METRICS_PORT: '0', ANSWER_CACHE_MB: '0' },
    ...secrets,
  })
  app = await startIsolatedApp(env)
  const customer = await newCustomer('frame', env)
  const others = Array.from({ length: 60 }, (_, index) => asset(`workspace-suite-${index}`, `Suite ${index}`))
  await customer.importAssets([asset('collab-suite-1', 'Needle', { purchased: 10 }), ...others])
  await customer.importInvoices([invoice('IN-1')])
  const line = openConnection(app.url)
  const email = await customer.member('Ada', 'admin')
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
    const { status, headers, body } = await fetch(app.url + path, { headers: { cookie } })
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
  const away = await fetch(`${app.url}/invoices`, { redirect: 'manual' })
  expect([away.status, away.headers.get('location')]).toEqual([307, '/sign-in?from=%2Finvoices'])
  // The content is in the HTML, and not drawn by its scripts later.
  for (const path of [
    '/invoices/none',
    '/assets/none',
    '/invoices/compare?from=A&to=B',
    '/webhooks/none',
    '/nothing/here',
  ]) {
    const missing = await fetch(app.url + path, { headers: { cookie } })
    const html = await missing.text()
    expect([path, missing.status]).toEqual([path, 404])
    expect(html).toMatch(/<h1[^>]*>Page not found<\/h1>/)
    if (path !== '/webhooks/none') expect(html).toMatch(/<title>Page not found/)
  }
})

test('the HTML of a long list has the first rows, and the browser shows all', async ({ page, context }) => {
  const path = `${app.url}/assets?maxResults=60`
  const html = await (await fetch(path, { headers: { cookie } })).text()
  expect(html.match(/<tr /g)).toHaveLength(1 + 50)
  await context.addCookies([sessionCookie()])
  await page.goto(path)
  await expect(page.getByRole('row')).toHaveCount(1 + 60)
})

test('delayed content appears in its place, and moves nothing', async ({ page, context }) => {
  await context.addCookies([sessionCookie()])
  // Another list than above, whose statement is prepared on its connection by now and has no text any more.
  gate.hold('"assets"')
  await page.goto(`${app.url}/assets?search=Needle`, { waitUntil: 'commit' })
  await expect(page.getByRole('heading', { name: 'Assets', level: 1 })).toBeVisible()
  await expect(page.getByText('Loading…')).toBeAttached()
  // Before the styles or the font have loaded, the frame's layout differs from the visible one.
  await page.waitForFunction(() =>
    [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')].every(({ sheet }) => sheet),
  )
  await page.evaluate(() => document.fonts.ready)
  const frame = [page.locator('header'), page.locator('h1'), page.locator('nav')]
  const tops = () =>
    Promise.all(frame.map(async (part) => Promise.all((await part.all()).map((one) => one.boundingBox()))))
  const before = await tops()
  gate.release()
  await expect(page.getByRole('link', { name: 'Needle' })).toBeVisible()
  await expect(page.getByText('Loading…')).not.toBeAttached()
  expect(await tops()).toEqual(before)
})

test('a failure after the frame was sent is shown in its place, and counted by its kind', async ({
  page,
  context,
}) => {
  await context.addCookies([sessionCookie()])
  gate.hold('"license_changes"')
  await page.goto(`${app.url}/activity?filter=state:APPLIED`, { waitUntil: 'commit' })
  await expect(page.getByText('Loading…')).toBeAttached()
  gate.lose()
  await expect(page.getByRole('heading', { name: 'This page could not be shown' })).toBeVisible()
  await expect(page.getByRole('alert').filter({ hasText: 'Something failed on our side' })).toBeVisible()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  await expect(page.getByText('Loading…')).not.toBeAttached()
  const line = () => /{[^\n]*"path":"\/activity"[^\n]*"failed":true[^\n]*}/.exec(app.output())?.[0]
  await expect.poll(line).toBeDefined()
  expect(JSON.parse(line() ?? '')).toMatchObject({ status: 200, route: 'page', failed: true })
  const [, metrics = ''] = /"url":"([^"]*\/metrics)"/.exec(app.output()) ?? []
  const metricsText = await (await fetch(metrics)).text()
  expect(metricsText).toContain('duration_seconds_count{route="page",method="GET",status="500"} 1')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('Nothing matches')).toBeVisible()
})

function sessionCookie() {
  const [, value = ''] = /console-session=([^;]+)/.exec(cookie) ?? []
  return { name: 'console-session', value, url: app.url }
}
