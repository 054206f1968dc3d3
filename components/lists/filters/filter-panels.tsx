import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { DayField } from '#components/platform/values/day-field.tsx'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { focusOnMount } from '#components/ui/focus-on-mount.ts'
import { MENU_ITEM } from '#components/ui/menu.tsx'
import { type AmountRange, isBackwards, moneyOf } from './amount-range.ts'
import { type DateRange, dayOfInput, inputDay, type Preset } from './date-range.ts'
import type { Filter } from './filter.tsx'

/** A list of more choices has a field that narrows it. */
const MAX_WITHOUT_SEARCH = 12

/** Panel of a filter with any number of selected values. */
export function Choices({
  label,
  choices,
  selected,
  onToggle,
}: {
  label: string
  choices: readonly { value: string; name: ReactNode }[]
  selected: readonly string[]
  onToggle: (value: string) => void
}) {
  const [text, setText] = useState('')
  const found = choices.filter(
    ({ name }) => typeof name !== 'string' || name.toLowerCase().includes(text.trim().toLowerCase()),
  )
  return (
    <fieldset className="max-h-96 max-w-80 overflow-y-auto">
      <legend className="sr-only">{label}</legend>
      {choices.length > MAX_WITHOUT_SEARCH ? (
        <div className="px-2.5 py-1.5">
          <Field label="Find" type="search" value={text} onChange={(event) => setText(event.target.value)} />
        </div>
      ) : null}
      {found.map(({ value, name }) => (
        <label
          key={value}
          className="flex cursor-pointer items-start gap-2.5 rounded-md px-2.5 py-1.75 text-sm hover:bg-sunken max-md:py-2.5"
        >
          <input
            type="checkbox"
            checked={selected.includes(value)}
            onChange={() => onToggle(value)}
            className="mt-0.5 size-4 shrink-0 accent-accent"
          />
          {name}
        </label>
      ))}
    </fieldset>
  )
}

/** Panel of a range of days: a preset, or two days in UTC. */
export function DateRanges({
  range,
  offered,
  preset,
  onChoose,
}: {
  range: DateRange
  offered: readonly Preset[]
  /** Name of the preset with this range, if any. */
  preset: string | undefined
  onChoose: (range: DateRange) => void
}) {
  return (
    <>
      <div className="grid grid-cols-2">
        {offered.map(({ name, range: its }) => (
          <button
            key={name}
            type="button"
            aria-current={name === preset ? 'true' : undefined}
            onClick={() => onChoose(its)}
            className={MENU_ITEM}
          >
            {name}
          </button>
        ))}
      </div>
      <hr className="my-1.5 border-line" />
      <CustomRange range={range} onChoose={onChoose} />
    </>
  )
}

/** Form for two days in UTC. */
function CustomRange({ range, onChoose }: { range: DateRange; onChoose: (range: DateRange) => void }) {
  const [from, setFrom] = useState(inputDay(range.from))
  const [to, setTo] = useState(inputDay(range.to))
  const selected = { from: dayOfInput(from), to: dayOfInput(to) }
  const isReversed = selected.from !== undefined && selected.to !== undefined && selected.to < selected.from
  const problem = isReversed ? 'Ends before it starts. Choose a later end or an earlier start.' : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isReversed) onChoose(selected)
  }
  return (
    <form onSubmit={submit} className="grid gap-2.5 p-2">
      <DayField label="From" value={from} onChange={setFrom} />
      <DayField label="To" value={to} onChange={setTo} error={problem} />
      <div className="flex items-center justify-between gap-2">
        <span className="text-xs text-ink-3">UTC, inclusive</span>
        <Button type="submit" variant="primary" disabled={isReversed}>
          Apply
        </Button>
      </div>
    </form>
  )
}

const UNCLEAR = 'Use the format 1250.50.'

/** Panel of two amounts, with the focus on the first. */
export function Amounts({
  range,
  hint,
  currencies,
  onChoose,
}: {
  range: AmountRange
  hint: string
  /** Currencies: one that is typed next to an amount is selected with it. */
  currencies: readonly string[]
  onChoose: (range: AmountRange, currency: string | undefined) => void
}) {
  const [from, setFrom] = useState(range.from ?? '')
  const [to, setTo] = useState(range.to ?? '')
  const [low, high] = [moneyOf(from), moneyOf(to)]
  const selected = { from: low.amount, to: high.amount }
  const validateAmount = (text: string, { amount, currency }: typeof low) => {
    if (text.trim() !== '' && amount === undefined) return UNCLEAR
    return currency && !currencies.includes(currency) ? `No amounts in ${currency}.` : undefined
  }
  const currencyError =
    low.currency && high.currency && low.currency !== high.currency
      ? 'Different currency than above.'
      : undefined
  const ends = isBackwards(selected) ? 'Less than the amount above.' : undefined
  const problems = [validateAmount(from, low), validateAmount(to, high) ?? currencyError ?? ends]
  const isWrong = problems.some((problem) => problem !== undefined)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isWrong) onChoose(selected, low.currency ?? high.currency)
  }
  const field = { inputMode: 'decimal', autoComplete: 'off' } as const
  return (
    <form onSubmit={submit} className="grid gap-2.5 p-2">
      <Field
        {...field}
        label="From"
        ref={focusOnMount}
        value={from}
        error={problems[0]}
        onChange={(event) => setFrom(event.target.value)}
      />
      <Field
        {...field}
        label="To"
        value={to}
        error={problems[1]}
        onChange={(event) => setTo(event.target.value)}
      />
      <div className="flex items-center justify-between gap-2">
        <span className="text-xs text-ink-3">{hint}</span>
        <Button type="submit" variant="primary" disabled={isWrong}>
          Apply
        </Button>
      </div>
    </form>
  )
}

const MAX_LENGTH = 200

/** Panel of a text, with the focus. */
export function TypedText({
  label,
  hint,
  value,
  onChoose,
}: {
  label: string
  hint: string
  value: string | undefined
  onChoose: (value: string | undefined) => void
}) {
  const [text, setText] = useState(value ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onChoose(text.trim() || undefined)
  }
  return (
    <form onSubmit={submit} className="grid gap-2.5 p-2">
      <Field
        label={label}
        hint={hint}
        autoComplete="off"
        maxLength={MAX_LENGTH}
        ref={focusOnMount}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" variant="primary" className="justify-self-end">
        Apply
      </Button>
    </form>
  )
}

/** Panel of the filters that are off; the selected one shows its own panel in the place of this one. */
export function OffFilters({ filters, close }: { filters: readonly Filter[]; close: () => void }) {
  const [label, setLabel] = useState<string>()
  const panel = useRef<HTMLDivElement>(null)
  // The pressed entry is gone: the focus moves into the panel, unless the panel has taken it itself.
  useEffect(() => {
    if (label === undefined || panel.current?.contains(document.activeElement)) return
    const first = panel.current?.querySelector<HTMLElement>('input, button, a')
    ;(first ?? panel.current)?.focus()
  }, [label])
  const picked = filters.find((filter) => filter.label === label)
  if (picked)
    return (
      <div ref={panel} tabIndex={-1} className="outline-none">
        <p aria-hidden="true" className="px-2.5 pt-1 pb-1.5 text-xs font-medium text-ink-3">
          {picked.label}
        </p>
        {picked.renderPanel(close)}
      </div>
    )
  const off = filters.filter(({ value }) => value === undefined)
  if (off.length === 0) return <p className="px-2.5 py-1.75 text-sm text-ink-3">All filters are in use.</p>
  return (
    <ul>
      {off.map((filter) => (
        <li key={filter.label}>
          <button type="button" onClick={() => setLabel(filter.label)} className={MENU_ITEM}>
            {filter.label}
          </button>
        </li>
      ))}
    </ul>
  )
}
