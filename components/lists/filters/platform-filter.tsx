import { PlatformMark } from '#components/platform/values/platform-mark.tsx'
import { platformName } from '#lib/billing/invoices/rules.ts'
import { KindFilter } from './kind-filter.tsx'

const KNOWN = ['workspace-suite', 'office-suite', 'cloud-platform', 'web-services']

/** Any number of platforms: the four known ones, and those that the filter or the rows have named so far. */
export function PlatformFilter({
  rows,
  ...given
}: {
  chosen: readonly string[]
  rows: readonly { platform: string }[]
  onToggle: (platform: string) => void
  onClear: () => void
}) {
  return (
    <KindFilter
      {...given}
      label="Platform"
      several="platforms"
      known={KNOWN}
      rows={rows.map(({ platform }) => platform)}
      nameOf={platformName}
      lookOf={(slug) => <PlatformMark slug={slug} />}
    />
  )
}
