import 'server-only'
import { builtIn } from './built-in.ts'
import type { VendorFacts } from './declaration.ts'
import { knownVendors } from './known-vendors.ts'

/** The facts of a vendor by its name, as stored with an asset. One that is not known has its name for a label. */
export function vendorFacts(name: string): VendorFacts {
  const known = knownVendors.find((vendor) => vendor.name === name)
  if (known) return known.facts
  const label = name === builtIn.name ? builtIn.label : name
  const isOurs = name === builtIn.name
  const nextTerm = () => (isOurs ? 'total' : undefined)
  return { label, capsFlexible: false, takesLicenses: false, locksIncreases: false, nextTerm }
}
