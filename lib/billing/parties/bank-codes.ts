import { friendlyFormatIBAN, isValidBIC, isValidIBAN } from 'ibantools'

/**
 * An IBAN as banks write it to each other, without spaces; undefined for what is none: its country, its length and
 * its check digits tell a slip of the pen (ISO 13616).
 */
export function ibanOf(text: string): string | undefined {
  const iban = compact(text)
  return isValidIBAN(iban) ? iban : undefined
}

/** `DE02120300000000202051` as people read it: `DE02 1203 0000 0000 2020 51`. */
export function ibanText(iban: string): string {
  return friendlyFormatIBAN(iban) ?? iban
}

/** A BIC of eight or eleven characters, in capitals; undefined for what is none (ISO 9362). */
export function bicOf(text: string): string | undefined {
  const bic = compact(text)
  return isValidBIC(bic) ? bic : undefined
}

function compact(text: string): string {
  return text.replace(/\s+/g, '').toUpperCase()
}
