import { describe, expect, test } from 'vitest'
import { isTaxCategory, isTypeCode, taxCategoryName, typeName } from './invoice-codes.ts'
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
    expect([typeName('381'), typeName('71')]).toEqual(['Credit note (381)', 'Type 71'])
  })
})
