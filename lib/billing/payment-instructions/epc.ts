import { isSEPACountry, isValidBIC, isValidIBAN } from 'ibantools'
import { decimalOf } from '#lib/platform/values/decimals.ts'

/** SEPA credit transfer. The amount is exact decimal text in EUR. */
export type Transfer = {
  name: string
  iban: string
  bic: string | null
  amount: string
  /** Unstructured remittance information: the reference that the payee matches payments by. */
  remittance: string
}

/** Limits of EPC069-12, section 2: characters of a field, and bytes of the whole content. */
const MAX_NAME_LENGTH = 70
const MAX_REMITTANCE_LENGTH = 140
const MAX_BYTES = 331
const [MIN_AMOUNT, MAX_AMOUNT] = ['0.01', '999999999.99'] as const

/** Largest version of the QR code that EPC069-12 allows. */
export const MAX_EPC_VERSION = 13

/** Countries of the EEA, where the IBAN suffices. */
const EEA = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(' '),
)

/**
 * Returns the content of an EPC QR code (EPC069-12, version 002, in UTF-8). A longer name is cut off at its limit, as
 * banks do; a longer reference is not, because the payee could not match it.
 * @returns undefined where the payment is no SEPA credit transfer, or does not fit: another country, a wrong IBAN or
 * BIC, a BIC that is missing outside of the EEA, an amount out of range or finer than a cent, or too long a reference
 */
export function epcContent({ name, iban, bic, amount, remittance }: Transfer): string | undefined {
  const country = iban.slice(0, 2)
  if (!isValidIBAN(iban) || !isSEPACountry(country)) return undefined
  if (bic === null ? !EEA.has(country) : !isValidBIC(bic)) return undefined
  const [payee, reference] = [line(name), line(remittance)]
  const sum = decimalOf(amount)
  if (!sum || sum.lt(MIN_AMOUNT) || sum.gt(MAX_AMOUNT) || !sum.eq(sum.round(2))) return undefined
  if (payee === '' || lengthOf(reference) > MAX_REMITTANCE_LENGTH) return undefined
  const content = [
    'BCD',
    '002',
    '1',
    'SCT',
    bic ?? '',
    [...payee].slice(0, MAX_NAME_LENGTH).join('').trim(),
    iban,
    `EUR${sum.toFixed(2)}`,
    // Neither a purpose nor a structured reference.
    '',
    '',
    reference,
  ].join('\n')
  return new TextEncoder().encode(content).length > MAX_BYTES ? undefined : content
}

/**
 * Returns the reference of one payment for several invoices: as many numbers as fit, and how many others there are.
 */
export function remittanceOf(numbers: readonly string[]): string {
  const lines = numbers.map(line)
  for (let count = lines.length; count > 0; count--) {
    const others = lines.length - count
    const text = lines.slice(0, count).join(', ') + (others > 0 ? ` +${others}` : '')
    if (lengthOf(text) <= MAX_REMITTANCE_LENGTH) return text
  }
  return lines[0] ?? ''
}

/** Returns text as one line without invisible characters: a line break would begin the next field. */
function line(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
}

/** Characters as EPC069-12 counts them, and not UTF-16 units. */
function lengthOf(text: string): number {
  return [...text].length
}
