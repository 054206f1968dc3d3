import { createHash } from 'node:crypto'
import type { Platform } from '#lib/platform/values/platforms.ts'

// By the names that providers bear in cost files.
const DEFAULTS: Record<Platform, string[]> = {
  'web-services': ['AWS', 'Amazon', 'Amazon Web Services', 'Amazon Web Services, Inc.'],
  'cloud-platform': ['GCP', 'Google', 'Google Cloud', 'Google Cloud Platform'],
  'workspace-suite': ['Google Workspace', 'Workspace', 'G Suite'],
  'office-suite': ['Microsoft 365', 'Office 365', 'Microsoft Office 365'],
}
const MAX_LENGTH = 60

/** Maps a provider's name in a file to the platform of its invoices. */
export type Platforms = (provider: string) => string

/**
 * Returns the default table overridden by the operator's own pairs; names in any case. Any other provider maps to its
 * slug.
 * @param pairs as in `AWS=web-services`
 * @throws Error that names an invalid pair
 */
export function platformTable(pairs: readonly string[] = []): Platforms {
  const table = new Map<string, string>()
  for (const [platform, names] of Object.entries(DEFAULTS))
    for (const name of names) table.set(nameKey(name), platform)
  for (const pair of pairs) {
    const cut = pair.lastIndexOf('=')
    const [name, platform] = [pair.slice(0, cut).trim(), pair.slice(cut + 1).trim()]
    if (cut < 1 || !name || slugOf(platform) !== platform)
      throw new Error(`"${pair}" is not a provider's name, = and a platform such as web-services.`)
    table.set(nameKey(name), platform)
  }
  return (provider) => table.get(nameKey(provider)) ?? slugOf(provider)
}

/** Returns a name as a platform: lowercase Latin letters, digits and hyphens; `Café & Co` is `cafe-co`. */
export function slugOf(name: string): string {
  const latin = name.normalize('NFKD').replace(/\p{M}+/gu, '')
  const slug = latin.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  const short = slug.slice(0, MAX_LENGTH).replace(/^-+|-+$/g, '')
  // A name without Latin letters still needs one slug of its own.
  return short || `provider-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`
}

function nameKey(name: string): string {
  return name.trim().toLowerCase()
}
