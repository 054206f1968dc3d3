const KNOWN: Record<string, { name: string; hue: string; fill: string }> = {
  'workspace-suite': {
    name: 'Workspace suite',
    hue: 'bg-platform-workspace-suite',
    fill: 'fill-platform-workspace-suite',
  },
  'office-suite': {
    name: 'Office suite',
    hue: 'bg-platform-office-suite',
    fill: 'fill-platform-office-suite',
  },
  'cloud-platform': {
    name: 'Cloud platform',
    hue: 'bg-platform-cloud-platform',
    fill: 'fill-platform-cloud-platform',
  },
  'web-services': {
    name: 'Web services',
    hue: 'bg-platform-web-services',
    fill: 'fill-platform-web-services',
  },
}

/** A platform as people read it: `office-suite` is "Office suite", a slug that is not known likewise. */
export function platformName(slug: string): string {
  const words = slug.replace(/[-_]+/g, ' ').trim()
  return KNOWN[slug]?.name ?? (words.charAt(0).toUpperCase() + words.slice(1) || slug)
}

/** The class that fills an SVG shape with the platform's hue. */
export function platformFill(slug: string): string {
  return KNOWN[slug]?.fill ?? 'fill-platform-other'
}

/** A platform's hue and name, the same everywhere. The hue is never alone. */
export function PlatformMark({ slug }: { slug: string }) {
  return (
    <span className="inline-flex items-center gap-2">
      <span
        aria-hidden="true"
        className={`size-2 shrink-0 rounded-mark ${KNOWN[slug]?.hue ?? 'bg-platform-other'}`}
      />
      {platformName(slug)}
    </span>
  )
}
