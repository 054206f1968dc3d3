import 'server-only'
import { env } from '#lib/env.ts'
import { type GuardedVendor, withBreaker } from './breaker.ts'
import { builtIn } from './built-in.ts'
import { vendorFacts } from './facts.ts'
import { googleWorkspace } from './google/google-workspace.ts'
import { microsoftPartnerCenter } from './microsoft/partner-center.ts'
import type { OwnBooks, RemoteVendor, Unavailable } from './vendor.ts'

const REMOTE = ['google-workspace', 'microsoft-partner-center'] as const
type RemoteName = (typeof REMOTE)[number]

// Pages and route handlers get separate copies of this module: they share what a breaker has learnt.
const slot = globalThis as typeof globalThis & { licensesInvoicesVendors?: Map<string, GuardedVendor> }

/** Whether an asset may name this vendor. */
export function isVendor(name: string): boolean {
  return name === builtIn.name || (REMOTE as readonly string[]).includes(name)
}

/** The vendor with this name, as stored with an asset. One without configuration can't be reached. */
export function vendorNamed(name: string): OwnBooks | GuardedVendor {
  if (name === builtIn.name) return builtIn
  if (!isVendor(name)) throw new Error(`There is no vendor named ${name}.`)
  slot.licensesInvoicesVendors ??= new Map()
  const known = slot.licensesInvoicesVendors.get(name)
  if (known) return known
  const vendor = withBreaker(
    configured(name as RemoteName) ?? unconfigured(name as RemoteName),
    env().vendorTimes.pauseMs,
  )
  slot.licensesInvoicesVendors.set(name, vendor)
  return vendor
}

/** The vendors whose books are kept elsewhere, where they are configured. */
export function remoteVendors(): GuardedVendor[] {
  return REMOTE.filter((name) => configured(name)).map((name) => vendorNamed(name) as GuardedVendor)
}

function configured(name: RemoteName): RemoteVendor | undefined {
  const { google, microsoft } = env()
  if (name === 'google-workspace') return google && googleWorkspace(google)
  return microsoft && microsoftPartnerCenter(microsoft)
}

function unconfigured(name: RemoteName): RemoteVendor {
  const { label } = vendorFacts(name)
  const reason = `${label} is not configured.`
  const unavailable: Unavailable = { kind: 'unavailable', reason }
  return {
    ...{ name, label, books: 'theirs', settleMs: 0 },
    // Never asked: whoever can't be read is not written to.
    foresee: () => ({ kind: 'rejected', code: 'vendor_rejected', reason }),
    read: async () => unavailable,
    setQuantity: async () => ({ kind: 'not_sent', code: 'vendor_unavailable', reason }),
    list: async () => unavailable,
  }
}
