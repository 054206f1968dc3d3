import { createServer, type Server } from 'node:http'
import { expect, type Page } from '@playwright/test'
import { Webhook } from 'standardwebhooks'
import { newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, PHONE, signInFreshly } from '../browser.ts'
import { test } from '../reused-page.ts'
import { testPorts } from '../server.ts'

type Hook = { headers: Record<string, string>; body: string }

let customer: Awaited<ReturnType<typeof newCustomer>>
let [boss, finance, address] = ['', '', '']
let server: Server
const hooks: Hook[] = []
let status = 200

test.beforeAll(async () => {
  customer = await newCustomer('webhooks')
  boss = await customer.member('Boss Admin', 'admin')
  finance = await customer.member('Fin Ance', 'finance-user')
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => {
      body += part
    })
    request.on('end', () => {
      hooks.push({ headers: request.headers as Record<string, string>, body })
      response.writeHead(status).end('thanks')
    })
  })
  const port = testPorts().receiver
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${port}/hooks`
})
test.afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })
const act = async (page: Page, name: string, action: string) => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('button', { name: action, exact: true }).click()
}
/** Adds a webhook of issued invoices, and returns its secret. */
async function addWebhook(page: Page, name: string) {
  await page.getByRole('button', { name: 'Add webhook' }).click()
  const form = dialog(page, 'Add webhook')
  await form.getByLabel('Name').fill(name)
  await form.getByLabel('URL').fill(address)
  await form.getByRole('checkbox', { name: 'Invoice issued' }).check()
  await form.getByRole('button', { name: 'Add webhook' }).click()
  await expect(dialog(page, 'Webhook added')).toBeVisible()
  await expectGood(page)
  const secret = await page.getByRole('dialog').locator('code').first().textContent()
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('link', { name })).toBeVisible()
  return secret ?? ''
}

test('an Admin adds a webhook, receives a test that a public verifier accepts, and sends it again', async ({
  page,
}) => {
  const pageErrors = complaints(page)
  await signInFreshly(page, boss, '/webhooks')
  await expect(page.getByText('No webhooks yet')).toBeVisible()
  await expectGood(page)
  await page.getByRole('button', { name: 'Add webhook' }).click()
  const form = dialog(page, 'Add webhook')
  await expectGood(page)
  await form.getByLabel('Name').fill('ERP')
  await form.getByLabel('URL').fill('https://10.0.0.7/hooks')
  await form.getByRole('button', { name: 'Add webhook' }).click()
  await expect(form.getByText('it has a private address')).toBeVisible()
  await form.getByRole('button', { name: 'Cancel' }).click()
  const secret = await addWebhook(page, 'ERP')
  await expect(page.getByText('Invoice issued')).toBeVisible()
  await act(page, 'ERP', 'Send a test')
  await expect.poll(() => hooks.length).toBe(1)
  const [hook] = hooks
  expect(new Webhook(secret).verify(hook?.body ?? '', hook?.headers ?? {})).toMatchObject({
    type: 'webhook.test',
  })

  await page.getByRole('link', { name: 'ERP' }).click()
  await expect(page.getByRole('cell', { name: 'Delivered' })).toBeVisible()
  await expectGood(page)
  await page.getByRole('button', { name: 'View Test' }).click()
  const details = dialog(page, 'Test')
  await expect(details.getByText('thanks')).toBeVisible()
  await expect(details.getByText('HTTP 200')).toBeVisible()
  await expectGood(page)
  await details.getByRole('button', { name: 'Send again' }).click()
  await expect.poll(() => hooks.length).toBe(2)
  expect(hooks[1]?.headers['webhook-id']).toBe(hook?.headers['webhook-id'])
  await expect(page.getByRole('row', { name: /Test/ })).toHaveCount(2)
  expect(pageErrors).toEqual([])
})

test('a failed delivery shows why, and is tried again immediately', async ({ page }) => {
  status = 503
  await signInFreshly(page, boss, '/webhooks')
  await addWebhook(page, 'CRM')
  const before = hooks.length
  await act(page, 'CRM', 'Send a test')
  // A list without a waiting delivery is not read again.
  await expect.poll(() => hooks.length).toBeGreaterThan(before)
  await page.getByRole('link', { name: 'CRM' }).click()
  await expect(page.getByText('The receiver answered 503.')).toBeVisible()
  await page.getByRole('button', { name: 'Waiting' }).click()
  await page.getByRole('button', { name: 'View Test' }).click()
  // The receiver fails until the request leaves: an automatic attempt that comes first must not end the wait.
  await page.route('**/deliveries/**', (route) => {
    if (route.request().method() === 'POST') status = 200
    return route.continue()
  })
  await dialog(page, 'Test').getByRole('button', { name: 'Try now' }).click()
  await expect(page.getByText('Queued to send again')).toBeVisible()
  await expect(page.getByText('No deliveries match')).toBeVisible()
})

test('a webhook is edited, paused, resumed, rotated and removed on a phone', async ({ page }) => {
  await page.setViewportSize(PHONE)
  await signInFreshly(page, boss, '/webhooks')
  await addWebhook(page, 'BI')
  await expectGood(page)
  await act(page, 'BI', 'Pause')
  await expect(page.getByText('Events wait for up to 30 days.')).toBeVisible()
  await act(page, 'BI', 'Resume')
  await expect(page.getByText('Events wait for up to 30 days.')).toHaveCount(0)
  await act(page, 'BI', 'Rotate secret')
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
  await expect(dialog(page, 'Secret rotated')).toBeVisible()
  await expectGood(page)
  await page.getByRole('button', { name: 'Done' }).click()
  await act(page, 'BI', 'Edit')
  await expect(dialog(page, 'Edit webhook').getByRole('checkbox', { name: 'Invoice issued' })).toBeChecked()
  await dialog(page, 'Edit webhook').getByRole('checkbox', { name: 'Invoice issued' }).uncheck()
  await expectGood(page)
  await dialog(page, 'Edit webhook').getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('All events')).toBeVisible()
  await act(page, 'BI', 'Remove')
  await dialog(page, 'Remove BI?').getByRole('button', { name: 'Remove webhook' }).click()
  await expect(page.getByRole('link', { name: 'BI' })).toHaveCount(0)
})

test('a Finance User has no webhooks in the menu, and learns which role is needed', async ({ page }) => {
  await signInFreshly(page, finance, '/webhooks')
  await expect(page.getByRole('link', { name: 'Webhooks' })).toHaveCount(0)
  await expect(page.getByText('Admin', { exact: false }).first()).toBeVisible()
})
