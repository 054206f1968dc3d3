import { mkdirSync } from 'node:fs'
import { findCustomer } from '#lib/access/store.ts'
import { hasLicenses, type LicensedRow, listAssets } from '#lib/assets/store.ts'
import { readScope } from '#lib/db/scope.ts'
import { harbor, harborTrials } from '#lib/demo/harbor.ts'
import { readVendors } from '#lib/license-changes/jobs.ts'
import { startGoogle } from '../stand-ins/google/google.ts'
import { startMicrosoft } from '../stand-ins/microsoft/microsoft.ts'
import type { Fake } from '../stand-ins/vendors/fake.ts'

/** Short enough to wait for. In milliseconds and seconds, as their names say. */
const TIMES = {
  VENDOR_STALE_MS: '5000',
  VENDOR_PAUSE_MS: '10000',
  GOOGLE_SETTLE_SECONDS: '30',
  MICROSOFT_SETTLE_SECONDS: '30',
}
const LATE_MS = 15_000

export type DemoVendors = {
  /** Takes our present seats into the vendors' books; with `isNew`, one of them is then changed there. */
  fill(today: string, isNew: boolean): Promise<void>
  /** What a visitor needs to know. */
  announcement(today: string): string
  stop(): Promise<void>
}

/** Stand-ins for both vendors in this process, and the settings that lead to them. */
export async function startDemoVendors(dataDir: string): Promise<DemoVendors> {
  mkdirSync(dataDir, { recursive: true })
  const google = await startGoogle({ lateMs: LATE_MS })
  const microsoft = await startMicrosoft({ lateMs: LATE_MS })
  const { url, tokenUrl, clientId, clientSecret } = microsoft.config
  Object.assign(process.env, TIMES, google.environment(dataDir), {
    MICROSOFT_TENANT_ID: 'reseller.example',
    MICROSOFT_URL: url,
    MICROSOFT_TOKEN_URL: tokenUrl,
    MICROSOFT_CLIENT_ID: clientId,
    MICROSOFT_CLIENT_SECRET: clientSecret,
  })
  const fakes: Record<string, Fake> = {
    'google-workspace': google as unknown as Fake,
    'microsoft-partner-center': microsoft as unknown as Fake,
  }

  async function fill(today: string, isNew: boolean): Promise<void> {
    const customer = await findCustomer(harbor(today).domain)
    if (!customer) return
    const rows = await readScope(customer, (tx) => listAssets(tx, customer.customerId, {}, 100))
    const trials = new Map(harborTrials(today).map(({ purchase, fault }) => [purchase.id, fault]))
    for (const { asset } of rows) {
      const fake = fakes[asset.vendor]
      if (fake && hasLicenses(asset)) fake.add(subscriptionOf(asset), { fault: trials.get(asset.id) })
      const isChangedThere = isNew && asset.skuName === 'Was changed at the vendor'
      if (isChangedThere) fake?.setByVendor(asset.subscriptionId ?? '', 23)
    }
    await readVendors('demo-start')
  }

  return {
    fill,
    announcement: (today) => announcementOf(today, google.url, microsoft.url),
    async stop() {
      await google.close()
      await microsoft.close()
    },
  }
}

/** Our row as the vendor's books have it. */
function subscriptionOf(asset: LicensedRow) {
  const { subscriptionId: id, vendorCustomerId: customerId, skuId, planName, status } = asset
  const isMicrosoft = asset.vendor === 'microsoft-partner-center'
  return {
    id,
    customerId,
    skuId,
    total: asset.seatsPurchased,
    assigned: asset.seatsAssigned,
    plan: isMicrosoft ? 'P1M monthly' : planName,
    status: isMicrosoft ? status.toLowerCase() : status,
  }
}

function announcementOf(today: string, google: string, microsoft: string): string {
  const trials = harborTrials(today).map(({ purchase, shows }) => `${purchase.sku.name.padEnd(26)} ${shows}`)
  return [
    'Stand-ins for both vendors run beside it. As noor.haddad@harbor-trials.example',
    'you have a subscription for each fate of a change:',
    ...trials.map((line) => `  ${line}`),
    '',
    `Google’s stand-in is on ${google}, Microsoft’s on ${microsoft}. Take one away:`,
    `curl -H 'content-type: application/json' -d '{"do":"down","down":true}' ${google}/_control`,
  ].join('\n')
}
