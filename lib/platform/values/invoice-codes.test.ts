import { describe, expect, test } from 'vitest'
import { isTaxCategory, isTypeCode, taxCategoryName, typeName } from './invoice-codes.ts'
import { quantityText, unitName } from './unit-names.ts'
import { isUnit } from './units.ts'

describe('codes', () => {
  test('are those of the lists, and nothing else', () => {
    for (const code of ['S', 'Z', 'E', 'AE', 'K', 'G', 'O', 'L', 'M', 'B'])
      expect([code, isTaxCategory(code)]).toEqual([code, true])
    for (const code of ['s', 'X', '', 'toString']) expect([code, isTaxCategory(code)]).toEqual([code, false])
    for (const code of ['380', '381', '384', '386', '389'])
      expect([code, isTypeCode(code)]).toEqual([code, true])
    for (const code of ['38', '3800', '380 ', '', '380 381'])
      expect([code, isTypeCode(code)]).toEqual([code, false])
    for (const code of ['C62', 'H87', 'MON', 'HUR', 'E34', 'XPP', '10'])
      expect([code, isUnit(code)]).toEqual([code, true])
    for (const code of ['c62', 'licenses', '', 'C62 H87']) expect([code, isUnit(code)]).toEqual([code, false])
  })

  test('have words, and are themselves where there are none', () => {
    expect([taxCategoryName('AE'), taxCategoryName('VAT')]).toEqual(['Reverse charge', 'VAT'])
    expect([typeName('381'), typeName('71')]).toEqual(['Credit note', 'Type 71'])
  })

  test('of units have names for quantities: those of a suite are licenses', () => {
    expect([unitName('C62', 'office-suite'), unitName('C62', 'web-services')]).toEqual(['licenses', 'units'])
    expect([unitName('E34', 'web-services'), unitName('XPP', 'office-suite')]).toEqual(['GB', 'XPP'])
    expect([quantityText('1.0', 'HUR', ''), quantityText('1234.5', 'HUR', '')]).toEqual([
      '1\u00a0hour',
      '1,234.5\u00a0hours',
    ])
    expect([quantityText(1, 'E34', ''), quantityText('2', null, '')]).toEqual(['1\u00a0GB', '2'])
  })
})
