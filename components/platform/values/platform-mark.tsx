import { platformName } from '#lib/billing/invoices/rules.ts'

/** In their order wherever they stack up: what is billed by usage first. */
const KNOWN: Record<string, { hue: string; fill: string }> = {
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

const known = (slug: string) => (Object.hasOwn(KNOWN, slug) ? KNOWN[slug] : undefined)

/** A platform's hue and name, the same everywhere. The hue is never alone. `name` may stand for several at once. */
export function PlatformMark({ slug, name = platformName(slug) }: { slug: string; name?: string }) {
  return (
    <span className="inline-flex items-center gap-2">
      <span
        aria-hidden="true"
        className={`size-2 shrink-0 rounded-mark ${known(slug)?.hue ?? 'bg-platform-other'}`}
      />
      {name}
    </span>
  )
}

/** The class that fills a shape with a platform's hue. */
export function platformFill(slug: string): string {
  return known(slug)?.fill ?? 'fill-platform-other'
}

/** Whether a platform has a hue of its own; the others share one. */
export function hasOwnHue(slug: string): boolean {
  return known(slug) !== undefined
}

/** The known platforms in their order, then the others by name. */
export function inPlatformOrder<T>(items: readonly T[], slugOf: (item: T) => string): T[] {
  const order = Object.keys(KNOWN)
  const place = (slug: string) => (hasOwnHue(slug) ? order.indexOf(slug) : order.length)
  return items.toSorted((a, b) => {
    const [one, other] = [slugOf(a), slugOf(b)]
    return place(one) - place(other) || (one < other ? -1 : 1)
  })
}
