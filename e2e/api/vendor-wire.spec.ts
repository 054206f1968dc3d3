import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { startGoogle } from '../../test/fakes/google/fake.ts'
import { startMicrosoft } from '../../test/fakes/microsoft/fake.ts'
import { startRecorder } from '../../test/fakes/vendors/recorder.ts'
import { asset, newCustomer } from '../admin.ts'
import { createDatabase } from '../database.ts'
import { isolatedEnvironment, startIsolatedApp } from '../isolated-app.ts'

// A fetch of ours intercepts the built server's outgoing requests: only here the bytes that leave it can be seen.

test('the built server sends a change with its length, in one piece, and with our user agent', async ({
  request,
}) => {
  const data = mkdtempSync(join(tmpdir(), 'licenses-invoices-wire-'))
  const [google, microsoft] = [await startGoogle(), await startMicrosoft()]
  const lines = { google: await startRecorder(google.url), microsoft: await startRecorder(microsoft.url) }
  const database = await createDatabase()
  const env = isolatedEnvironment(data, {
    ...database.settings,
    ...google.environment(data),
    GOOGLE_URL: lines.google.url,
    ...microsoft.environment(),
    MICROSOFT_URL: lines.microsoft.url,
  })
  const app = await startIsolatedApp(env)
  try {
    const customer = await newCustomer('wire', env)
    const skuId = 'CFQ7TTC0LH18:0001'
    const imported = (id: string, vendor: string) => {
      const item = asset(id, id, { purchased: 20, assigned: 3 })
      return { ...item, vendor, subscription: { ...item.subscription, skuId } }
    }
    await customer.importAssets([
      imported('workspace-suite-1', 'google-workspace'),
      imported('office-suite-1', 'microsoft-partner-center'),
    ])
    const subscription = { customerId: 'C01', skuId, total: 20, assigned: 3 }
    google.add({ ...subscription, id: 'S-workspace-suite-1', plan: 'FLEXIBLE' })
    microsoft.add({ ...subscription, id: 'S-office-suite-1', plan: 'P1M monthly' })
    const headers = { Authorization: `Bearer ${await customer.key('it-manager')}` }
    for (const id of ['workspace-suite-1', 'office-suite-1']) {
      const url = `${app.url}/billing/v1/assets/${id}`
      const answer = await request.patch(url, { headers, data: { quantity: 25 } })
      expect([id, answer.status()]).toEqual([id, 200])
    }
    const sentRequests = [...lines.google.requests('POST'), ...lines.microsoft.requests('PATCH')]
    expect(sentRequests).toHaveLength(2)
    for (const sentRequest of sentRequests) {
      expect(sentRequest).not.toMatch(/^transfer-encoding:/im)
      expect(sentRequest).toMatch(/^content-length: [1-9]\d*\r?$/im)
      expect(sentRequest).toMatch(/^user-agent: licenses-invoices\/\d/im)
    }
  } finally {
    app.kill('SIGTERM')
    await app.ended
    await database.drop()
    for (const end of [lines.google, lines.microsoft, google, microsoft]) await end.close()
    rmSync(data, { recursive: true, force: true })
  }
})
