import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { startBalancer } from '../../test/fakes/balancer.ts'
import { asset, newCustomer } from '../admin.ts'
import { createDatabase } from '../database.ts'
import { isolatedEnvironment, startIsolatedApp } from '../isolated-app.ts'
import { startLoad } from '../load.ts'

// Two servers on one database behind a balancer that polls /healthz. No request is retried.

/** Number of requests that each server has to answer between two steps. */
const MIN_REQUESTS = 100
const CLIENTS = 8

test('two servers are replaced under load one after the other without a failed request', {
  tag: '@deep',
}, async () => {
  const data = mkdtempSync(join(tmpdir(), 'licenses-invoices-rolling-'))
  const balancer = await startBalancer()
  // Long enough for a balancer on the same busy machine.
  const database = await createDatabase()
  const env = isolatedEnvironment(data, { ...database.settings, BASE_URL: balancer.url, DRAIN_SECONDS: '5' })
  const apps: Awaited<ReturnType<typeof startIsolatedApp>>[] = []
  const begin = async () => {
    const app = await startIsolatedApp(env)
    apps.push(app)
    balancer.add(app.url)
    return app.url
  }
  const end = async (url: string) => {
    const app = apps.find((one) => one.url === url)
    app?.kill('SIGTERM')
    expect(await app?.ended).toBe(0)
    balancer.remove(url)
  }
  const allServe = async (...urls: string[]) => {
    await expect.poll(() => balancer.readyUrls().sort()).toEqual(urls.sort())
    const before = urls.map((url) => balancer.served(url))
    const least = () => Math.min(...urls.map((url, index) => balancer.served(url) - (before[index] ?? 0)))
    await expect.poll(least).toBeGreaterThan(MIN_REQUESTS)
  }
  try {
    const [one, other] = [await begin(), await begin()]
    const customer = await newCustomer('rolling', env)
    const ids = Array.from({ length: CLIENTS }, (_, client) => `workspace-suite-${client}`)
    await customer.importAssets(ids.map((id) => asset(id, id, { purchased: 10 })))
    const headers = {
      Authorization: `Bearer ${await customer.key('it-manager')}`,
      'Content-Type': 'application/json',
    }
    await expect.poll(balancer.readyUrls).toHaveLength(2)
    const load = startLoad(balancer.url, CLIENTS, (nth, client) => {
      const path = `/billing/v1/assets/${ids[client]}`
      if (nth % 5 !== 0) return { path: nth % 2 ? '/billing/v1/assets' : path, headers }
      return { path, method: 'PATCH', headers, body: JSON.stringify({ quantity: 11 + (nth % 50) }) }
    })
    try {
      await allServe(one, other)
      const third = await begin()
      await allServe(one, other, third)
      await end(one)
      await allServe(other, third)
      const fourth = await begin()
      await allServe(other, third, fourth)
      await end(other)
      await allServe(third, fourth)
    } finally {
      await load.stop()
    }
    expect(load.failures).toEqual([])
  } finally {
    for (const app of apps) app.kill('SIGTERM')
    await Promise.all(apps.map((app) => app.ended))
    await balancer.close()
    await database.drop()
    rmSync(data, { recursive: true, force: true })
  }
})
