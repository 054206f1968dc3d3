/**
 * Platforms of invoices, which are also the types of assets. Each is a neutral word for a vendor's product; others may
 * come.
 */
export const PLATFORMS: readonly string[] = [
  'workspace-suite',
  'office-suite',
  'cloud-platform',
  'web-services',
]

/** Formats the name of a platform or of an asset's seller: `office-suite` is "Office suite". */
export function platformName(slug: string): string {
  const name = slug.replace(/[-_]+/g, ' ').trim()
  return name.charAt(0).toUpperCase() + name.slice(1) || slug
}
