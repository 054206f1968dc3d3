import { mkdirSync } from 'node:fs'
import { hasLicenses, type LicensedRow, listAssets } from '#lib/licenses/assets/store.ts'
import { readVendors } from '#lib/licenses/license-changes/jobs.ts'
import { findCustomer } from '#lib/platform/caller/store.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { harborDemo, harborScenarios } from '../test/fakes/harbor-demo.ts'
import { vendorFakes } from '../test/fakes/vendor-fakes.ts'
import type { FakeDeclaration, Seed } from '../test/fakes/vendors/declaration.ts'
import type { Fake } from '../test/fakes/vendors/fake.ts'

/** Short waits for a demo, in milliseconds and seconds, as their names say. */
const TIMES = { VENDOR_STALE_MS: '5000', VENDOR_PAUSE_MS: '10000' }
const SETTLE_SECONDS = '30'
const WRITE_DELAY_MS = 15_000

export type DemoVendors = {
  /** Copies the present seats to the vendors' fakes; with `isNew`, one of the totals is then changed there. */
  fill(today: string, isNew: boolean): Promise<void>
  /** Returns the text for a user who tries the demo. */
  announcement(today: string): string
  stop(): Promise<void>
}

type Running = { fakeVendor: FakeDeclaration; fake: Fake }

/** Starts fakes of all vendors in this process, and returns the settings that lead to them. */
export async function startDemoVendors(dataDir: string): Promise<DemoVendors> {
  mkdirSync(dataDir, { recursive: true })
  Object.assign(process.env, TIMES)
  const running: Running[] = []
  for (const fakeVendor of vendorFakes) {
    const { fake, settings } = await fakeVendor.start({ delayMs: WRITE_DELAY_MS }, dataDir)
    Object.assign(process.env, settings, { [fakeVendor.confirmSetting]: SETTLE_SECONDS })
    running.push({ fakeVendor, fake })
  }

  async function fill(today: string, isNew: boolean): Promise<void> {
    const customer = await findCustomer(harborDemo(today).domain)
    if (!customer) return
    const rows = await readScope(customer, (tx) => listAssets(tx, customer.customerId, {}, 100))
    const demoScenarios = new Map(
      harborScenarios(today).map((demoScenario) => [demoScenario.purchase.id, demoScenario]),
    )
    for (const { asset } of rows) {
      const { fakeVendor, fake } = running.find(({ fakeVendor: { vendor } }) => vendor === asset.vendor) ?? {}
      if (!fakeVendor || !fake || !hasLicenses(asset)) continue
      const { fault, changedTo } = demoScenarios.get(asset.id) ?? {}
      fake.add(fakeVendor.toNewSubscription(seedOf(asset)), { fault })
      if (isNew && changedTo !== undefined) fake.setByVendor(asset.subscriptionId, changedTo)
    }
    await readVendors('demo-start')
  }

  return {
    fill,
    announcement: (today) => announcementOf(today, running),
    async stop() {
      for (const { fake } of running) await fake.close()
    },
  }
}

function seedOf(asset: LicensedRow): Seed {
  return {
    id: asset.subscriptionId,
    customerId: asset.vendorCustomerId,
    skuId: asset.skuId,
    total: asset.seatsPurchased,
    assigned: asset.seatsAssigned,
    planName: asset.planName,
    status: asset.status,
  }
}

function announcementOf(today: string, running: Running[]): string {
  const demoScenarios = harborScenarios(today).map(
    ({ purchase, shows }) => `${purchase.sku.name.padEnd(26)} ${shows}`,
  )
  const [first] = running
  return [
    'Stand-ins for the vendors run beside it. As noor.haddad@harbor-trials.example',
    'you have a subscription for each fate of a change:',
    ...demoScenarios.map((line) => `  ${line}`),
    '',
    ...running.map(({ fake }) => `The fake of ${fake.label} is on ${fake.url}.`),
    'Take one away:',
    `curl -H 'content-type: application/json' -d '{"do":"down","down":true}' ${first?.fake.url}/_control`,
  ].join('\n')
}
