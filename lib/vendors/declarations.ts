import 'server-only'
import { builtIn } from './built-in.ts'
import type { VendorDeclaration, VendorInfo } from './declaration.ts'
import { google } from './google/declaration.ts'
import { microsoft } from './microsoft/declaration.ts'

/** Vendors that are called over the network. A new one is added here and in its own folder only. */
export const vendorDeclarations: VendorDeclaration[] = [google, microsoft]

/** Returns a vendor's facts by its name, as stored with an asset. An unknown vendor's label is its name. */
export function vendorInfo(name: string): VendorInfo {
  const declaration = vendorDeclarations.find((vendor) => vendor.name === name)
  if (declaration) return declaration.info
  const label = name === builtIn.name ? builtIn.label : name
  const isOurs = name === builtIn.name
  const nextTerm = () => (isOurs ? 'total' : undefined)
  const defaults = { capsFlexible: false, takesLicenses: false, locksIncreases: false }
  return { label, ...defaults, nextTerm, endActions: [] }
}
