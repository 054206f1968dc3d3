import 'server-only'
import { env } from '#lib/env.ts'
import { type GuardedVendor, withBreaker } from './breaker.ts'
import { builtIn } from './built-in.ts'
import type { VendorDeclaration } from './declaration.ts'
import { knownVendors } from './known-vendors.ts'
import { remoteVendor } from './remote-vendor.ts'
import type { OwnBooks, RemoteVendor, Unavailable } from './vendor.ts'

// The vendors by name, connected by their settings. Which there are says known-vendors.ts, which env.ts reads too.

// Pages and route handlers get separate copies of this module: they share what a breaker has learnt.
const slot = globalThis as typeof globalThis & { licensesInvoicesVendors?: Map<string, GuardedVendor> }

/** Whether an asset may name this vendor. */
export function isVendor(name: string): boolean {
  return name === builtIn.name || knownVendors.some((vendor) => vendor.name === name)
}

/** The vendor with this name, as stored with an asset. One without configuration can't be reached. */
export function vendorNamed(name: string): OwnBooks | GuardedVendor {
  if (name === builtIn.name) return builtIn
  const declared = knownVendors.find((vendor) => vendor.name === name)
  if (!declared) throw new Error(`There is no vendor named ${name}.`)
  return connected(declared)
}

/** The vendors whose books are kept elsewhere, where they are configured. */
export function remoteVendors(): GuardedVendor[] {
  const configs = env().vendors
  return knownVendors.filter(({ name }) => configs[name]).map(connected)
}

/** Once for each vendor of a process. */
function connected(declared: VendorDeclaration): GuardedVendor {
  slot.licensesInvoicesVendors ??= new Map()
  const known = slot.licensesInvoicesVendors.get(declared.name)
  if (known) return known
  const { vendors, vendorTimes } = env()
  const config = vendors[declared.name]
  const vendor = withBreaker(
    config ? remoteVendor(declared, config) : unconfigured(declared),
    vendorTimes.pauseMs,
  )
  slot.licensesInvoicesVendors.set(declared.name, vendor)
  return vendor
}

function unconfigured({ name, facts: { label } }: VendorDeclaration): RemoteVendor {
  const reason = `${label} is not configured.`
  const unavailable: Unavailable = { kind: 'unavailable', reason, why: 'no_access' }
  return {
    name,
    label,
    books: 'theirs',
    settleMs: 0,
    idempotentWrites: undefined,
    // Never asked: whoever can't be read is not written to.
    foresee: () => ({ kind: 'rejected', code: 'vendor_rejected', reason }),
    isSame: () => false,
    read: async () => unavailable,
    setQuantity: async () => ({ kind: 'not_sent', code: 'vendor_unavailable', reason, why: 'no_access' }),
    list: async () => unavailable,
  }
}
