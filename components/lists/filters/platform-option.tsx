import { PlatformIcon } from '#components/platform/values/platform-icon.tsx'
import { countText } from '#components/ui/count-text.ts'
import { platformName } from '#lib/platform/values/platforms.ts'

export type PlatformCount = { type: string; count: number }

/** Returns the options of a filter by platforms as types of assets, each with its number of rows. */
export function platformOption(counts: readonly PlatformCount[]) {
  const count = new Map(counts.map((one) => [one.type, one.count]))
  return {
    label: 'Type',
    several: 'types',
    options: [...count.keys()],
    isFixed: true,
    nameOf: platformName,
    renderOption: (slug: string) => (
      <>
        <PlatformIcon slug={slug} />
        <span className="ml-auto text-xs text-ink-3 tabular-nums">{countText(count.get(slug) ?? 0)}</span>
      </>
    ),
  }
}
