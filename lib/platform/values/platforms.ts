/**
 * Platforms of invoices, which are also the types of assets, in the specification's neutral words for the products of
 * vendors. An import may bring others.
 */
export const PLATFORMS = ['workspace-suite', 'office-suite', 'cloud-platform', 'web-services'] as const
export type Platform = (typeof PLATFORMS)[number]

/** Formats the name of a platform or of an asset's seller: `office-suite` is "Office suite". */
export function platformName(slug: string): string {
  const name = slug.replace(/[-_]+/g, ' ').trim()
  return name.charAt(0).toUpperCase() + name.slice(1) || slug
}
