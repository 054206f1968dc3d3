import { formatAmount } from '#lib/platform/values/money.ts'

/** An amount with its currency, never a symbol: `$` is a dozen currencies. */
export function Money({ amount, currency }: { amount: number; currency: string }) {
  return (
    <span className="whitespace-nowrap tabular-nums">
      {formatAmount(amount, currency)} <span className="text-xs text-ink-3">{currency}</span>
    </span>
  )
}
