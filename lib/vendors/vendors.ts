import 'server-only'
import { builtIn } from './built-in.ts'
import type { OwnBooks } from './vendor.ts'

const VENDORS: Record<string, OwnBooks> = { [builtIn.name]: builtIn }

/** Whether an asset may name this vendor. */
export function isVendor(name: string): boolean {
  return Object.hasOwn(VENDORS, name)
}

/** The vendor with this name, as stored with an asset. */
export function vendorNamed(name: string): OwnBooks {
  const vendor = Object.hasOwn(VENDORS, name) ? VENDORS[name] : undefined
  if (!vendor) throw new Error(`There is no vendor named ${name}.`)
  return vendor
}
