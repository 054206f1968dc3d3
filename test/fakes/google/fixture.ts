import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { google } from '#lib/vendors/google/declaration.ts'
import type { Config } from '#lib/vendors/google/settings.ts'
import { uncounted } from '#lib/vendors/test-budget.ts'
import type { RemoteVendor } from '#lib/vendors/vendor.ts'
import { remoteVendor } from '#lib/vendors/vendors.ts'
import { faultsOf } from './description.ts'
import { type FakeGoogle, type GoogleOptions, startGoogle } from './fake.ts'

/** Faults whose response is deliberately not Google's JSON. */
const FOREIGN = ['no-json', 'huge', 'proxy', 'proxy-404', 'redirect']

export type GoogleFixture = {
  fake: FakeGoogle
  vendor: RemoteVendor
  config: Config
  folder: string
  /** Returns the violations of Google's API description in the traffic so far. */
  described(): string[]
  close(): Promise<void>
}

/** The fake with the product's client in front of it, and a folder for its key. */
export async function openGoogle(options: GoogleOptions = {}): Promise<GoogleFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-google-'))
  const fake = await startGoogle(options)
  const { url, tokenUrl, admin } = fake
  const config = { url, tokenUrl, admin, keyFile: fake.keyFile(folder), settleMs: 1000, callsPerMinute: 300 }
  return {
    fake,
    vendor: remoteVendor(google, config, uncounted),
    config,
    folder,
    described() {
      const ours = fake.exchanges.filter(
        ({ call, fault = '' }) => call.kind !== 'auth' && !FOREIGN.includes(fault),
      )
      return ours.flatMap(faultsOf)
    },
    async close() {
      rmSync(folder, { recursive: true, force: true })
      await fake.close()
    },
  }
}
