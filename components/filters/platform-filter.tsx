import { useState } from 'react'
import { PlatformMark } from '#components/platform/platform-mark.tsx'
import { ChoiceMenu } from '#components/ui/choice-menu.tsx'
import { platformName } from '#lib/invoices/rules.ts'

const KNOWN = ['workspace-suite', 'office-suite', 'cloud-platform', 'web-services']

/**
 * Any number of platforms: the four known ones, and those that the filter or the rows have named so far, for
 * to choose one takes the others' rows out of sight.
 */
export function PlatformFilter({
  chosen,
  rows,
  onToggle,
}: {
  chosen: readonly string[]
  rows: readonly { platform: string }[]
  onToggle: (platform: string) => void
}) {
  const [first] = chosen
  const [offered, setOffered] = useState(KNOWN)
  const all = [...new Set([...offered, ...chosen, ...rows.map((row) => row.platform)])]
  if (all.length > offered.length) setOffered(all)
  const several = chosen.length > 1 ? `${chosen.length} platforms` : undefined
  return (
    <ChoiceMenu
      label="Platform"
      summary={several ?? (first === undefined ? 'All platforms' : platformName(first))}
      choices={offered.map((slug) => ({ value: slug, name: <PlatformMark slug={slug} /> }))}
      chosen={chosen}
      onToggle={onToggle}
    />
  )
}
