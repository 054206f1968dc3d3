import 'server-only'
import { log } from '#lib/platform/runtime/log.ts'
import type { VendorConfig } from '../declaration.ts'
import { knownVendors } from '../known-vendors.ts'
import { accountsSettings, vendorSettings } from '../settings.ts'
import { type Account, DEFAULT_ACCOUNT } from './account.ts'
import { type AccountsFile, readAccountsFile, signatureOf } from './file.ts'

// The accounts of the reseller at vendors: one per vendor by the environment, and those of a file, which may be changed
// while the service runs.

/** How often the file is looked at, at most, in milliseconds. */
const LOOK_EVERY = 1000

type Known = {
  path: string
  lookedAt: number
  signature: string
  file: AccountsFile
  /** What is wrong with the file by now, as the log has it. */
  fault?: string | undefined
}
let last: Known | undefined

/** The accounts that are set up. */
export function accounts(): Account[] {
  const vendors = vendorSettings()
  const own = knownVendors.filter(({ name }) => vendors[name])
  return [
    ...own.map(({ name: vendor }) => ({ vendor, vendorAccount: DEFAULT_ACCOUNT })),
    ...file().accounts.map(({ vendor, name: vendorAccount }) => ({ vendor, vendorAccount })),
  ]
}

/** Whether an account is set up. */
export function hasAccount(vendor: string, vendorAccount: string): boolean {
  return configOf({ vendor, vendorAccount }) !== undefined
}

/** How an account is reached; undefined where it is not set up. */
export function configOf({ vendor, vendorAccount }: Account): VendorConfig | undefined {
  const named = file().accounts.find((one) => one.vendor === vendor && one.name === vendorAccount)
  return named?.config ?? (vendorAccount === DEFAULT_ACCOUNT ? vendorSettings()[vendor] : undefined)
}

/**
 * The file as it is, looked at again once a second. One that has become wrong changes nothing, and is told of in the log.
 * @throws Error that names each fault, where it was never right
 */
function file(): AccountsFile {
  const { path } = accountsSettings()
  const vendors = vendorSettings()
  if (path === undefined) return { accounts: [], secretFiles: [] }
  const known = last?.path === path ? last : undefined
  const now = Date.now()
  if (known && now - known.lookedAt < LOOK_EVERY) return known.file
  const signature = signatureOf([path, ...(known?.file.secretFiles ?? [])])
  if (known?.signature === signature) {
    known.lookedAt = now
    return known.file
  }
  const read = readAccountsFile(path, (vendor) => vendors[vendor] !== undefined)
  if (read.kind === 'faults') {
    const reason = `${path}: ${read.faults.join('; ')}`
    if (!known) throw new Error(`Wrong configuration. ${reason}`)
    if (known.fault !== reason)
      log().error({ reason }, 'vendor accounts: the file is wrong, and those from before stay')
    // It may be another file that is missing: until all is right, each look reads all.
    Object.assign(known, { lookedAt: now, signature: '', fault: reason })
    return known.file
  }
  if (known) log().info({ accounts: read.file.accounts.length }, 'vendor accounts: read again')
  // As it was before it was read: what is written meanwhile is read with the next look, as is the first time what a
  // secret's file has that was not known of.
  last = { path, lookedAt: now, signature, file: read.file }
  return read.file
}
