import { formatAmount } from '#lib/platform/values/money.ts'

/** Amount with its currency code, never a symbol: `$` is the symbol of a dozen currencies. */
export function Money({ amount, currency }: { amount: number; currency: string }) {
  return (
    <span className="whitespace-nowrap tabular-nums">
      {formatAmount(amount, currency)} <span className="text-xs text-ink-3">{currency}</span>
    </span>
  )
}
