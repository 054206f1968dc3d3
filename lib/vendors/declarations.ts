import 'server-only'
import { builtIn } from './built-in.ts'
import type { VendorDeclaration, VendorInfo } from './declaration.ts'
import { google } from './google/declaration.ts'
import { microsoft } from './microsoft/declaration.ts'

/** The vendors that are reached over the network. A new one is added here and in its own folder, nowhere else. */
export const vendorDeclarations: VendorDeclaration[] = [google, microsoft]

/** The facts of a vendor by its name, as stored with an asset. One that is not known has its name for a label. */
export function vendorInfo(name: string): VendorInfo {
  const declaration = vendorDeclarations.find((vendor) => vendor.name === name)
  if (declaration) return declaration.info
  const label = name === builtIn.name ? builtIn.label : name
  const isOurs = name === builtIn.name
  const nextTerm = () => (isOurs ? 'total' : undefined)
  return { label, capsFlexible: false, takesLicenses: false, locksIncreases: false, nextTerm }
}
