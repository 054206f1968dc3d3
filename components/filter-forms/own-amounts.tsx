import { type FormEvent, useState } from 'react'
import { type AmountRange, amountOf, isBackwards } from '#components/filters/amount-range.ts'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { focused } from '#components/ui/focused.ts'

const UNCLEAR = 'Write it as 1250.50.'

/** Two amounts to type, the first with the focus. */
export function OwnAmounts({
  range,
  hint,
  onChoose,
}: {
  range: AmountRange
  hint: string
  onChoose: (range: AmountRange) => void
}) {
  const [from, setFrom] = useState(range.from ?? '')
  const [to, setTo] = useState(range.to ?? '')
  const chosen = { from: amountOf(from), to: amountOf(to) }
  const isUnclear = (text: string) => text.trim() !== '' && amountOf(text) === undefined
  const ends = isBackwards(chosen) ? 'Less than the amount above.' : undefined
  const problems = [isUnclear(from) ? UNCLEAR : undefined, isUnclear(to) ? UNCLEAR : ends]
  const isWrong = problems.some((problem) => problem !== undefined)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isWrong) onChoose(chosen)
  }
  const field = { inputMode: 'decimal', autoComplete: 'off' } as const
  return (
    <form onSubmit={submit} className="grid gap-2.5 p-2">
      <Field
        {...field}
        label="From"
        ref={focused}
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
        <Button type="submit" look="primary" disabled={isWrong}>
          Apply
        </Button>
      </div>
    </form>
  )
}
