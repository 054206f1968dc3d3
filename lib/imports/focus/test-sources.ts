import type { Source } from './focus.ts'

/** A day after the periods of the tests' files, September and October 2026. */
export const NOW = new Date('2026-12-01')

/** Yields one text without a name, or several with their names. */
export async function* sourcesOf(texts: string | Record<string, string>): AsyncGenerator<Source> {
  for (const [name, text] of Object.entries(typeof texts === 'string' ? { '': texts } : texts))
    yield { name, text: chunksOf(text) }
}

/** Yields a text in pieces that end anywhere, like a file. */
async function* chunksOf(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 1000) yield text.slice(at, at + 1000)
}

/** Returns a whole number of 1e-`decimals` in cents, rounded half away from zero, computed without our decimals. */
export function cents(sum: bigint, decimals: number): string {
  const unit = 10n ** BigInt(decimals - 2)
  const whole = ((sum < 0n ? -sum : sum) + unit / 2n) / unit
  const text = `${whole / 100n}.${String(whole % 100n).padStart(2, '0')}`
  return sum < 0n && whole > 0n ? `-${text}` : text
}
