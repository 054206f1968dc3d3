import 'server-only'
import { builtIn } from './built-in.ts'
import type { Vendor } from './vendor.ts'

const VENDORS: Record<string, Vendor> = { [builtIn.name]: builtIn }

/** The vendor with this name, as stored with an asset. */
export function vendorNamed(name: string): Vendor {
  const vendor = Object.hasOwn(VENDORS, name) ? VENDORS[name] : undefined
  if (!vendor) throw new Error(`There is no vendor named ${name}.`)
  return vendor
}
