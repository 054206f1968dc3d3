/**
 * Parses a whole number as people and spreadsheets write it: `1200`, `1,200`, `1 200`. Does not round.
 * @returns undefined for other text, including text that is a fraction in some locale
 */
export function parseWholeNumber(text: string): number | undefined {
  const digits = text
    .trim()
    .replace(/^(\d{1,3})((?:[,\u00a0\u202f' ]\d{3})+)$/, (all) => all.replace(/\D/g, ''))
  return /^\d{1,12}$/.test(digits) ? Number(digits) : undefined
}

/** Converts an exact decimal to a JSON number. Only responses use it: a float never takes part in a calculation. */
export const toJsonNumber: (decimal: string | { valueOf(): string }) => number = Number
