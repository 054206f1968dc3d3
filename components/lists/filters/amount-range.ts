import { formatDecimal } from '#lib/platform/values/money.ts'

/** Exact decimals as text, both inclusive; an absent end is open. */
export type AmountRange = { from?: string | undefined; to?: string | undefined }

/**
 * Returns a typed amount as an exact decimal: `1250.50`, also with the thousands separators that this console writes.
 * Returns undefined for text that is not an amount, or is ambiguous, as `1.250,50`.
 */
export function amountOf(text: string): string | undefined {
  const typed = text.trim().replace('−', '-')
  const plain = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(typed) ? typed.replaceAll(',', '') : typed
  return /^-?\d{1,20}(\.\d{1,20})?$/.test(plain) ? plain : undefined
}

/**
 * Returns a typed amount and its currency, if any: `10,000 USD`, `eur 500`. The amount is undefined as in `amountOf`;
 * the currency is any word of three letters, in capitals.
 */
export function moneyOf(text: string): { amount: string | undefined; currency: string | undefined } {
  const [, before, amount = '', after] =
    /^([a-z]{3}(?![a-z]))?(.*?)((?<![a-z])[a-z]{3})?$/i.exec(text.trim()) ?? []
  return before && after
    ? { amount: undefined, currency: undefined }
    : { amount: amountOf(amount), currency: (before ?? after)?.toUpperCase() }
}

/** Returns whether a range ends before it starts, compared as exact decimals. */
export function isBackwards({ from, to }: AmountRange): boolean {
  return from !== undefined && to !== undefined && isLess(to, from)
}

function isLess(one: string, other: string): boolean {
  const digits = Math.max(...[one, other].map((text) => (text.split('.')[1] ?? '').length))
  const [a, b] = [one, other].map((text) => {
    const [whole = '', fraction = ''] = text.split('.')
    return BigInt(whole + fraction.padEnd(digits, '0'))
  }) as [bigint, bigint]
  return a < b
}

/** Returns a range as text: `100 – 2,500.50`, `From 100`, `Up to 2,500.50`; undefined where both ends are open. */
export function amountsText({ from, to }: AmountRange): string | undefined {
  const format = (amount: string) => formatDecimal(amount)
  if (from !== undefined && to !== undefined)
    return from === to ? format(from) : `${format(from)} – ${format(to)}`
  if (from !== undefined) return `From ${format(from)}`
  return to === undefined ? undefined : `Up to ${format(to)}`
}
