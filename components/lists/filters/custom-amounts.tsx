import { type FormEvent, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { focusOnMount } from '#components/ui/focus-on-mount.ts'
import { type AmountRange, isBackwards, moneyOf } from './amount-range.ts'

const UNCLEAR = 'Write it as 1250.50.'

/** Form for two amounts, with the focus on the first. */
export function CustomAmounts({
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
    return currency && !currencies.includes(currency) ? `Nothing is in ${currency}.` : undefined
  }
  const currencyError =
    low.currency && high.currency && low.currency !== high.currency
      ? 'Another currency than above.'
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
