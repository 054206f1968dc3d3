const formats = new Map<string, Intl.NumberFormat>()

/**
 * An amount as text, with thousands separators and the currency's own decimals: `41,206.10`, `1,200` for
 * JPY. `maxDecimals` lets a unit price keep more of its decimals.
 */
export function amountText(amount: number, currency: string, maxDecimals?: number): string {
  const key = `${currency} ${maxDecimals ?? ''}`
  const format = formats.get(key) ?? formatOf(currency, maxDecimals)
  formats.set(key, format)
  // A real minus sign stands in line with figures; a hyphen does not.
  return format.format(amount).replace('-', '−')
}

/** The amount with its currency's code after it: `41,206.10 USD`. */
export function moneyText(amount: number, currency: string): string {
  return `${amountText(amount, currency)} ${currency}`
}

/** An amount with its currency, never a symbol: `$` is a dozen currencies. */
export function Money({ amount, currency }: { amount: number; currency: string }) {
  return (
    <span className="whitespace-nowrap tabular-nums">
      {amountText(amount, currency)} <span className="text-xs text-ink-3">{currency}</span>
    </span>
  )
}

function formatOf(currency: string, maxDecimals: number | undefined): Intl.NumberFormat {
  const decimals =
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
  return new Intl.NumberFormat('en', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: Math.max(decimals, maxDecimals ?? decimals),
  })
}
