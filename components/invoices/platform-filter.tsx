import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { PlatformMark, platformName } from '#components/platform/platform-mark.tsx'
import { FILTER_BUTTON, FILTER_MENU } from '#components/ui/filter-button.ts'
import { Menu } from '#components/ui/menu.tsx'
import type { Invoice } from '#lib/invoices/contract.ts'
import { toggled, type View, valuesOf } from './view.ts'

const KNOWN = ['workspace-suite', 'office-suite', 'cloud-platform', 'web-services']

/**
 * Any number of platforms: the four known ones, and those that the filter or the rows have named so far, for
 * to choose one takes the others' rows out of sight.
 */
export function PlatformFilter({
  view,
  rows,
  onChange,
}: {
  view: View
  rows: readonly Invoice[]
  onChange: (view: View) => void
}) {
  const chosen = valuesOf(view, 'platform')
  const [first] = chosen
  const [offered, setOffered] = useState(KNOWN)
  const all = [...new Set([...offered, ...chosen, ...rows.map((row) => row.platform)])]
  if (all.length > offered.length) setOffered(all)
  const summary =
    first === undefined
      ? 'All platforms'
      : chosen.length > 1
        ? `${chosen.length} platforms`
        : platformName(first)
  return (
    <Menu
      label={`Platform: ${summary}`}
      buttonClassName={FILTER_BUTTON}
      rootClassName={FILTER_MENU}
      button={
        <>
          {summary}
          <ChevronDown aria-hidden="true" className="size-3.5 text-ink-3" />
        </>
      }
    >
      {() => (
        <fieldset>
          <legend className="sr-only">Platforms</legend>
          {offered.map((slug) => (
            <label
              key={slug}
              className="flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.75 text-sm hover:bg-sunken max-md:py-2.5"
            >
              <input
                type="checkbox"
                checked={chosen.includes(slug)}
                onChange={() => onChange(toggled(view, 'platform', slug))}
                className="size-4 accent-accent"
              />
              <PlatformMark slug={slug} />
            </label>
          ))}
        </fieldset>
      )}
    </Menu>
  )
}
