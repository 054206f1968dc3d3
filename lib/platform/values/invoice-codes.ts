import { codesIn } from './text.ts'

// Code lists of EN 16931, as of April 2026. Files in our own formats are rejected with any other code.

/** UNCL 5305, as EN 16931 has it for its terms BT-118 and BT-151, in words. */
const TAX_CATEGORIES = {
  S: 'Standard rate',
  Z: 'Zero rated',
  E: 'Exempt from tax',
  AE: 'Reverse charge',
  K: 'Intra-community supply',
  G: 'Export, tax not charged',
  O: 'Outside the scope of tax',
  L: 'Canary Islands tax (IGIC)',
  M: 'Ceuta and Melilla tax (IPSI)',
  B: 'Transferred tax (Italy)',
}

/** UNCL 1001, as EN 16931 has it for BT-3: invoices, and then credit notes. */
const INVOICES = `
  71 80 81 82 84 102 130 202 203 204 211 218 219 295 325 326 331 380 382 383 384 385 386 387 388 389 390 393
  394 395 456 457 471 472 473 500 501 527 553 575 623 633 751 780 817 870 875 876 877 935
`
const CREDIT_NOTES = `
  81 83 261 262 296 308 381 396 420 458 502 503 532
`
const types = codesIn(`${INVOICES} ${CREDIT_NOTES}`)

/** The types that are met, in words. */
const TYPE_NAMES: Record<string, string> = {
  '326': 'Partial invoice',
  '380': 'Commercial invoice',
  '381': 'Credit note',
  '383': 'Debit note',
  '384': 'Corrected invoice',
  '386': 'Prepayment invoice',
  '389': 'Self-billed invoice',
  '396': 'Factored credit note',
  '875': 'Partial construction invoice',
}

/** Returns whether text is a tax category. */
export function isTaxCategory(code: string): boolean {
  return Object.hasOwn(TAX_CATEGORIES, code)
}

/** Returns whether text is a type of invoice or credit note. */
export function isTypeCode(code: string): boolean {
  return types.has(code)
}

/** Returns a tax category in words; the code itself where unnamed. */
export function taxCategoryName(code: string): string {
  return Object.entries(TAX_CATEGORIES).find(([key]) => key === code)?.[1] ?? code
}

/** Returns the name of a type of invoice: `Credit note`; with its code where unnamed: `Type 71`. */
export function typeName(code: string): string {
  return TYPE_NAMES[code] ?? `Type ${code}`
}
