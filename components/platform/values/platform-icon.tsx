import { platformName } from '#lib/billing/invoices/rules.ts'

/** In their order wherever they stack up: what is billed by usage first. */
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

/** A platform's hue and name, the same everywhere. The hue is never alone. `name` may stand for several at once. */
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

/** The class that fills a shape with a platform's hue. */
export function platformFill(slug: string): string {
  return platformColors(slug)?.fill ?? 'fill-platform-other'
}

/** Whether a platform has a hue of its own; the others share one. */
export function hasPlatformColor(slug: string): boolean {
  return platformColors(slug) !== undefined
}

/** The known platforms in their order, then the others by name. */
export function sortByPlatform<T>(items: readonly T[], slugOf: (item: T) => string): T[] {
  const slugs = Object.keys(PLATFORMS)
  const rank = (slug: string) => (hasPlatformColor(slug) ? slugs.indexOf(slug) : slugs.length)
  return items.toSorted((a, b) => {
    const [one, other] = [slugOf(a), slugOf(b)]
    return rank(one) - rank(other) || (one < other ? -1 : 1)
  })
}
