import { type Platforms, slugOf } from '../focus/platforms.ts'
import { MOST_EXAMPLES, type Oddity } from './report.ts'

/** Platforms that the specification names: a provider that is one of them is known. */
const KNOWN = new Set(['web-services', 'cloud-platform', 'workspace-suite', 'office-suite'])
/** Far more than there are. */
const MOST_PROVIDERS = 10_000

/** The same platforms, and which providers became one that is made of their name alone. */
export function notedPlatforms(platforms: Platforms): { platforms: Platforms; list(): Oddity[] } {
  const made = new Map<string, string>()
  const known = new Map<string, string>()
  return {
    platforms(provider) {
      const before = known.get(provider)
      if (before !== undefined) return before
      const platform = platforms(provider)
      if (known.size < MOST_PROVIDERS) known.set(provider, platform)
      if (platform === slugOf(provider) && !KNOWN.has(platform) && made.size < MOST_PROVIDERS)
        made.set(provider, platform)
      return platform
    },
    list() {
      const examples = [...made]
        .slice(0, MOST_EXAMPLES)
        .map(([provider, platform]) => `${provider} (${platform})`)
      return made.size === 0 ? [] : [{ what: 'platform', count: made.size, examples }]
    },
  }
}
