import { MAX_DECIMALS, MAX_INTEGER_DIGITS } from '#lib/platform/values/decimals.ts'

/** Returns the reason why `decimalOf` rejects a text. */
export function decimalError(text: string): string {
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text.slice(0, 1000)))
    return `${quoted(text)} is out of range: at most ${MAX_INTEGER_DIGITS} digits before the point and ${MAX_DECIMALS} after it`
  const advice = text.includes(',') ? ' (write 1234.5, without separators)' : ''
  return `${quoted(text)} is not a number${advice}`
}

/** Quotes text for a message: short, and on one line. */
export function quoted(text: string): string {
  const short = text.length > 40 ? `${text.slice(0, 39)}…` : text
  return JSON.stringify(short)
}
