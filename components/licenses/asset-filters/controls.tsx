import { statusText } from '#components/licenses/assets/labels.ts'
import type { View } from '#components/licenses/assets/view.ts'
import { DateFilterMenu } from '#components/lists/filters/date-filter.tsx'
import { comingPresets, type DateRange } from '#components/lists/filters/date-range.ts'
import { KindFilter } from '#components/lists/filters/kind-filter.tsx'
import { changed, type FilterKey, toggled, valuesOf, withValues } from '#components/lists/filters/view.ts'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { PLAN_KINDS, USAGES } from '#lib/licenses/assets/rules.ts'
import { DAY_MS } from '#lib/platform/values/days.ts'
import { type FilterChoices, planKindName, renewalOf, USAGE_NAMES, usageName } from './labels.ts'

/** Filters for status, plan, renewal, usage and domain; each only with several values. */
export function Controls({
  view,
  choices,
  today,
  onChange,
}: {
  view: View
  choices: FilterChoices
  today: number
  onChange: (view: View) => void
}) {
  const by = (key: FilterKey<View>) => ({
    selected: valuesOf(view, key),
    onToggle: (value: string) => onChange(toggled(view, key, value)),
    onClear: () => onChange(withValues(view, key, [])),
  })
  const renewing = ({ from, to }: DateRange) =>
    changed(view, { minRenewalTime: from, maxRenewalTime: to === undefined ? undefined : to + DAY_MS - 1 })
  return (
    <>
      <KindFilter
        {...by('status')}
        label="Status"
        several="statuses"
        options={choices.statuses}
        nameOf={(status) => escapeInvisible(statusText(status))}
      />
      <KindFilter
        {...by('plan')}
        label="Plan"
        several="plans"
        options={PLAN_KINDS}
        nameOf={(kind) => escapeInvisible(planKindName(kind))}
      />
      <DateFilterMenu
        label="Renewal"
        range={renewalOf(view)}
        today={today}
        presets={comingPresets}
        onChange={(range) => onChange(renewing(range))}
      />
      <KindFilter
        {...by('usage')}
        label="Usage"
        several="usages"
        options={USAGES}
        nameOf={usageName}
        renderOption={(usage) => USAGE_NAMES[usage as keyof typeof USAGE_NAMES]}
      />
      <KindFilter
        {...by('domain')}
        label="Domain"
        several="domains"
        options={choices.domains}
        nameOf={escapeInvisible}
      />
    </>
  )
}
