import { MOST_DECIMALS, MOST_WHOLE } from '#lib/platform/values/decimals.ts'

/** Why a text from a file can't be kept as it is; undefined where it can. */
export function textFault(text: string, longest: number): string | undefined {
  if (text.length > longest) return `has ${text.length} characters, and at most ${longest} are kept`
  if (/\p{Cc}/u.test(text)) return 'has a control character in it'
  return text.isWellFormed() ? undefined : 'has half a character in it'
}

/** Why a text is no number for `decimalOf`. */
export function decimalFault(text: string): string {
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text.slice(0, 1000)))
    return `${quoted(text)} is out of range: at most ${MOST_WHOLE} digits before the point and ${MOST_DECIMALS} after it`
  const hint = text.includes(',') ? ' (write 1234.5, without separators)' : ''
  return `${quoted(text)} is not a number${hint}`
}

/** Text as a message shows it: short, and on one line. */
export function quoted(text: string): string {
  const short = text.length > 40 ? `${text.slice(0, 39)}…` : text
  return JSON.stringify(short)
}
