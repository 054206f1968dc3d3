import { hasOwnHue, PlatformMark } from '#components/platform/values/platform-mark.tsx'

/** Which hue is which platform. Platforms without a hue of their own share one, and so a place. */
export function Legend({ platforms }: { platforms: readonly string[] }) {
  const others = platforms.filter((slug) => !hasOwnHue(slug))
  const named = others.length > 1 ? platforms.filter(hasOwnHue) : platforms
  return (
    <ul className="flex flex-wrap gap-x-3.5 gap-y-1 text-xs text-ink-2">
      {named.map((slug) => (
        <li key={slug}>
          <PlatformMark slug={slug} />
        </li>
      ))}
      {others.length > 1 ? (
        <li>
          <PlatformMark slug={others[0] ?? ''} name={`${others.length} other platforms`} />
        </li>
      ) : null}
    </ul>
  )
}
