import type { ReactNode } from 'react'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'
import { type DateRange, type Preset, presetOf, presets, rangeText } from './date-range.ts'
import { changed, type FilterKey, type ListView, toggled, valuesOf, withValues } from './view.ts'

/** Filter of a list. While it is off, its bar offers it; while it is on, it is a chip that opens its panel again. */
export type Filter = {
  label: string
  /** Selected value, in short; undefined while the filter is off. */
  value: string | undefined
  /** Meaning of the filter while it is off, for screen readers: `All platforms`. */
  off: string
  /** Selected value in full, for print; by default the short one. */
  text?: string
  /** Whether the panel has fields that need room. */
  isWide?: boolean
  /** Loads the script of a panel that most lists lack. */
  preload?: () => void
  onClear: () => void
  renderPanel: (close: () => void) => ReactNode
}

const load = () => import('./filter-panels.tsx')
const Choices = lazyWithPreload(
  () => load().then((part) => part.Choices),
  () => <div className="h-32" />,
)
const DateRanges = lazyWithPreload(
  () => load().then((part) => part.DateRanges),
  () => <div className="h-88" />,
)
/** Panel of the filters that are off. */
export const OffFilters = lazyWithPreload(
  () => load().then((part) => part.OffFilters),
  () => <div className="h-32" />,
)

/**
 * Loads the script of the panels of these filters, as soon as the user is about to open one: a panel that is loaded
 * while it opens would lose the keys that are typed until then.
 */
export function preloadPanels(filters: readonly Pick<Filter, 'preload'>[]): void {
  for (const part of [Choices, DateRanges, OffFilters, ...filters]) part.preload?.()
}

type Options = {
  label: string
  /** Plural of the values: `platforms`. */
  several: string
  options: readonly string[]
  nameOf?: (value: string) => string
  renderOption?: (value: string) => ReactNode
  /** Whether it is there with a single value, too, because the values depend on the other filters. */
  isFixed?: boolean
}

/** Returns a filter with any number of selected values; undefined where a single value needs no choice. */
export function choiceFilter({
  label,
  several,
  options,
  selected,
  nameOf = (value) => value,
  renderOption = nameOf,
  isFixed = false,
  onToggle,
  onClear,
}: Options & {
  selected: readonly string[]
  onToggle: (value: string) => void
  onClear: () => void
}): Filter | undefined {
  const all = [...new Set([...options, ...selected])]
  if (all.length < (isFixed ? 1 : 2) && selected.length === 0) return undefined
  const names = selected.map(nameOf)
  return {
    label,
    off: `All ${several}`,
    value: names.length > 1 ? `${names.length} ${several}` : names[0],
    text: names.join(', '),
    onClear,
    renderPanel: () => (
      <Choices
        label={label}
        choices={all.map((value) => ({ value, name: renderOption(value) }))}
        selected={selected}
        onToggle={onToggle}
      />
    ),
  }
}

/** Returns a function that makes the filter of one key of a view. */
export function filtersOf<View extends ListView>(view: View, onChange: (view: View) => void) {
  return (key: FilterKey<View>, options: Options) =>
    choiceFilter({
      ...options,
      selected: valuesOf(view, key),
      onToggle: (value) => onChange(toggled(view, key, value)),
      onClear: () => onChange(withValues(view, key, [])),
    })
}

/** Returns a filter for a range of days: a preset, or two days in UTC. */
export function dateFilter({
  label,
  range,
  today,
  presets: offered = presets,
  onChange,
}: {
  /** Name of the date. */
  label: string
  range: DateRange
  today: number
  /** Returns the named ranges; by default those in the past. */
  presets?: (today: number) => Preset[]
  onChange: (range: DateRange) => void
}): Filter {
  const preset = presetOf(range, today, offered)
  const text = preset ?? rangeText(range)
  const isOff = range.from === undefined && range.to === undefined
  return {
    label,
    off: text,
    value: isOff ? undefined : text,
    text: rangeText(range),
    isWide: true,
    onClear: () => onChange({}),
    renderPanel: (close) => (
      <DateRanges
        range={range}
        offered={offered(today)}
        preset={preset}
        onChoose={(selected) => {
          close()
          onChange(selected)
        }}
      />
    ),
  }
}

/** Returns the view that finds a text, on its first page. */
export function searching<View extends ListView>(view: View, text: string): View {
  return changed<ListView>(view, { search: text || undefined }) as View
}
