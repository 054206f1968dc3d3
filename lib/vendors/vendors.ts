import 'server-only'
import { DAY_SECONDS } from '#lib/platform/runtime/settings.ts'
import { budgetsOf } from '#lib/vendors/budgets/budgets.ts'
import { probesOf } from '#lib/vendors/budgets/probes.ts'
import { type Account, DEFAULT_ACCOUNT } from './accounts/account.ts'
import { accounts, configOf } from './accounts/accounts.ts'
import { type GuardedVendor, withBreaker } from './breaker.ts'
import { builtIn } from './built-in.ts'
import type { VendorConfig, VendorDeclaration } from './declaration.ts'
import { knownVendors } from './known-vendors.ts'
import { remoteVendor } from './remote-vendor.ts'
import { vendorTimes } from './settings.ts'
import type { OwnBooks, RemoteVendor, Unavailable } from './vendor.ts'

// The vendors by name and account, connected by their settings. Which vendors there are says known-vendors.ts.

type Connected = { config: VendorConfig | undefined; vendor: GuardedVendor }

// Pages and route handlers get separate copies of this module: they share what a breaker has learnt.
const slot = globalThis as typeof globalThis & { licensesInvoicesVendors?: Map<string, Connected> }

/** Whether an asset may name this vendor. */
export function isVendor(name: string): boolean {
  return name === builtIn.name || knownVendors.some((vendor) => vendor.name === name)
}

/** Who keeps the books of an asset: ours, or an account at a vendor. One that is not set up can't be reached. */
export function vendorOf(asset: Account): OwnBooks | GuardedVendor {
  if (asset.vendor === builtIn.name) return builtIn
  const declared = knownVendors.find(({ name }) => name === asset.vendor)
  if (!declared) throw new Error(`There is no vendor named ${asset.vendor}.`)
  return connected(declared, asset.vendorAccount)
}

/** The accounts at vendors whose books are kept elsewhere, as far as they are set up. */
export function remoteVendors(): GuardedVendor[] {
  return accounts().map((account) => vendorOf(account) as GuardedVendor)
}

/** Once for each account of a process, and anew where its settings have changed. */
function connected(declared: VendorDeclaration, account: string): GuardedVendor {
  slot.licensesInvoicesVendors ??= new Map()
  const name = JSON.stringify([declared.name, account])
  const known = slot.licensesInvoicesVendors.get(name)
  const named = { vendor: declared.name, vendorAccount: account }
  const config = configOf(named)
  if (known && JSON.stringify(known.config) === JSON.stringify(config)) return known.vendor
  const remote = config
    ? remoteVendor(declared, config, budgetsOf(declared.name, account), account)
    : unconfigured(declared, account)
  const vendor = withBreaker(remote, vendorTimes().pauseMs, probesOf(named))
  slot.licensesInvoicesVendors.set(name, { config, vendor })
  return vendor
}

function unconfigured({ name, facts: { label } }: VendorDeclaration, account: string): RemoteVendor {
  const which = account === DEFAULT_ACCOUNT ? '' : `, account ${account},`
  const reason = `${label}${which} is not configured.`
  const unavailable: Unavailable = { kind: 'unavailable', reason, why: 'no_access' }
  return {
    name,
    label,
    account,
    books: 'theirs',
    // What was sent before it was taken away may be done still: as late as the slowest vendor says.
    settleMs: DAY_SECONDS * 1000,
    idempotentWrites: undefined,
    // Never asked: whoever can't be read is not written to.
    foresee: () => ({ kind: 'rejected', code: 'vendor_rejected', reason }),
    isSame: () => false,
    read: async () => unavailable,
    setQuantity: async () => ({ kind: 'not_sent', code: 'vendor_unavailable', reason, why: 'no_access' }),
    list: async () => unavailable,
    spare: async () => 0,
  }
}
