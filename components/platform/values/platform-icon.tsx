import { platformName } from '#lib/platform/values/platforms.ts'

/** Platforms in the order of a stacked bar: those billed by usage first. */
const PLATFORMS: Record<string, { hue: string; fill: string }> = {
  'cloud-platform': {
    hue: 'bg-platform-cloud-platform',
    fill: 'fill-platform-cloud-platform',
  },
  'web-services': {
    hue: 'bg-platform-web-services',
    fill: 'fill-platform-web-services',
  },
  'workspace-suite': {
    hue: 'bg-platform-workspace-suite',
    fill: 'fill-platform-workspace-suite',
  },
  'office-suite': {
    hue: 'bg-platform-office-suite',
    fill: 'fill-platform-office-suite',
  },
}

const platformColors = (slug: string) => (Object.hasOwn(PLATFORMS, slug) ? PLATFORMS[slug] : undefined)

/**
 * Hue and name of a platform, the same everywhere. The hue never appears without a name. `name` may cover several
 * platforms.
 */
export function PlatformIcon({ slug, name = platformName(slug) }: { slug: string; name?: string }) {
  return (
    <span className="inline-flex items-center gap-2">
      <span
        aria-hidden="true"
        className={`size-2 shrink-0 rounded-mark ${platformColors(slug)?.hue ?? 'bg-platform-other'}`}
      />
      {name}
    </span>
  )
}

/** Returns the class that fills a shape with a platform's hue. */
export function platformFill(slug: string): string {
  return platformColors(slug)?.fill ?? 'fill-platform-other'
}

/** Returns whether a platform has a hue of its own; the others share one. */
export function hasPlatformColor(slug: string): boolean {
  return platformColors(slug) !== undefined
}

/** Returns the items with the known platforms in their order, then the others by name. */
export function sortByPlatform<T>(items: readonly T[], slugOf: (item: T) => string): T[] {
  const slugs = Object.keys(PLATFORMS)
  const rank = (slug: string) => (hasPlatformColor(slug) ? slugs.indexOf(slug) : slugs.length)
  return items.toSorted((a, b) => {
    const [one, other] = [slugOf(a), slugOf(b)]
    return rank(one) - rank(other) || (one < other ? -1 : 1)
  })
}
