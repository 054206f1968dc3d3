const KNOWN: Record<string, { name: string; hue: string }> = {
  'workspace-suite': {
    name: 'Workspace suite',
    hue: 'bg-platform-workspace-suite',
  },
  'office-suite': {
    name: 'Office suite',
    hue: 'bg-platform-office-suite',
  },
  'cloud-platform': {
    name: 'Cloud platform',
    hue: 'bg-platform-cloud-platform',
  },
  'web-services': {
    name: 'Web services',
    hue: 'bg-platform-web-services',
  },
}

/** A platform as people read it: `office-suite` is "Office suite", a slug that is not known likewise. */
export function platformName(slug: string): string {
  const words = slug.replace(/[-_]+/g, ' ').trim()
  return KNOWN[slug]?.name ?? (words.charAt(0).toUpperCase() + words.slice(1) || slug)
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
