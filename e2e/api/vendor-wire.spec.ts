import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { startGoogle } from '../../test/fakes/google/stand-in.ts'
import { startMicrosoft } from '../../test/fakes/microsoft/stand-in.ts'
import { tap } from '../../test/fakes/vendors/wiretap.ts'
import { asset, newCustomer } from '../admin.ts'
import { givenDatabase } from '../database.ts'
import { ownEnvironment, startOwnApp } from '../own-app.ts'

// The built server stands between us and the network with a fetch of its own: only here can be seen what leaves.

test('a change leaves the built server with its length, in one piece, and says who we are', async ({
  request,
}) => {
  const data = mkdtempSync(join(tmpdir(), 'licenses-invoices-wire-'))
  const [google, microsoft] = [await startGoogle(), await startMicrosoft()]
  const lines = { google: await tap(google.url), microsoft: await tap(microsoft.url) }
  const database = await givenDatabase()
  const env = ownEnvironment(data, {
    ...database.settings,
    ...google.environment(data),
    GOOGLE_URL: lines.google.url,
    ...microsoft.environment(),
    MICROSOFT_URL: lines.microsoft.url,
  })
  const app = await startOwnApp(env)
  try {
    const own = await newCustomer('wire', env)
    const skuId = 'CFQ7TTC0LH18:0001'
    const imported = (id: string, vendor: string) => {
      const item = asset(id, id, { purchased: 20, assigned: 3 })
      return { ...item, vendor, subscription: { ...item.subscription, skuId } }
    }
    await own.importAssets([
      imported('workspace-suite-1', 'google-workspace'),
      imported('office-suite-1', 'microsoft-partner-center'),
    ])
    const known = { customerId: 'C01', skuId, total: 20, assigned: 3 }
    google.add({ ...known, id: 'S-workspace-suite-1', plan: 'FLEXIBLE' })
    microsoft.add({ ...known, id: 'S-office-suite-1', plan: 'P1M monthly' })
    const headers = { Authorization: `Bearer ${await own.key('it-manager')}` }
    for (const id of ['workspace-suite-1', 'office-suite-1']) {
      const url = `${app.url}/billing/v1/assets/${id}`
      const answer = await request.patch(url, { headers, data: { quantity: 25 } })
      expect([id, answer.status()]).toEqual([id, 200])
    }
    const heads = [...lines.google.heads('POST'), ...lines.microsoft.heads('PATCH')]
    expect(heads).toHaveLength(2)
    for (const head of heads) {
      expect(head).not.toMatch(/^transfer-encoding:/im)
      expect(head).toMatch(/^content-length: [1-9]\d*\r?$/im)
      expect(head).toMatch(/^user-agent: licenses-invoices\/\d/im)
    }
  } finally {
    app.kill('SIGTERM')
    await app.ended
    await database.drop()
    for (const end of [lines.google, lines.microsoft, google, microsoft]) await end.close()
    rmSync(data, { recursive: true, force: true })
  }
})
