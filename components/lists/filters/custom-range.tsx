import { type FormEvent, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { type DateRange, dayOfInput, inputDay } from './date-range.ts'

/** Form for two days in UTC. */
export function CustomRange({ range, onChoose }: { range: DateRange; onChoose: (range: DateRange) => void }) {
  const [from, setFrom] = useState(inputDay(range.from))
  const [to, setTo] = useState(inputDay(range.to))
  const selected = { from: dayOfInput(from), to: dayOfInput(to) }
  const isBackwards = selected.from !== undefined && selected.to !== undefined && selected.to < selected.from
  const problem = isBackwards ? 'Ends before it starts: choose a later day, or an earlier start.' : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isBackwards) onChoose(selected)
  }
  return (
    <form onSubmit={submit} className="grid gap-2.5 p-2">
      <Field
        label="From"
        type="date"
        value={from}
        max="9999-12-31"
        onChange={(event) => setFrom(event.target.value)}
      />
      <Field
        label="To"
        type="date"
        value={to}
        max="9999-12-31"
        onChange={(event) => setTo(event.target.value)}
        error={problem}
      />
      <div className="flex items-center justify-between gap-2">
        <span className="text-xs text-ink-3">UTC, inclusive</span>
        <Button type="submit" variant="primary" disabled={isBackwards}>
          Apply
        </Button>
      </div>
    </form>
  )
}
