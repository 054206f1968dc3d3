/** Formats the name of a platform or of an asset's seller: `office-suite` is "Office suite". */
export function platformName(slug: string): string {
  const name = slug.replace(/[-_]+/g, ' ').trim()
  return name.charAt(0).toUpperCase() + name.slice(1) || slug
}
