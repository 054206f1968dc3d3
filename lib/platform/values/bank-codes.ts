import { friendlyFormatIBAN, isValidBIC, isValidIBAN } from 'ibantools'

/**
 * Returns an IBAN in electronic format, without spaces; undefined for an invalid one: country, length and check digits
 * detect typing errors (ISO 13616).
 */
export function ibanOf(text: string): string | undefined {
  const iban = compact(text)
  return isValidIBAN(iban) ? iban : undefined
}

/** `DE02120300000000202051` as people read it: `DE02 1203 0000 0000 2020 51`. */
export function ibanText(iban: string): string {
  return friendlyFormatIBAN(iban) ?? iban
}

/** Returns a BIC of eight or eleven characters, in capitals; undefined for an invalid one (ISO 9362). */
export function bicOf(text: string): string | undefined {
  const bic = compact(text)
  return isValidBIC(bic) ? bic : undefined
}

function compact(text: string): string {
  return text.replace(/\s+/g, '').toUpperCase()
}
