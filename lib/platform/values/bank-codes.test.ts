import { describe, expect, it } from 'vitest'
import { bicOf, ibanOf, ibanText } from './bank-codes.ts'

describe('A bank account', () => {
  it.each([
    ['DE02 1203 0000 0000 2020 51', 'DE02120300000000202051'],
    ['gb33bukb20201555555555', 'GB33BUKB20201555555555'],
    ['NO9386011117947', 'NO9386011117947'],
    ['MT84MALT011000012345MTLCAST001S', 'MT84MALT011000012345MTLCAST001S'],
    // Digits that fit, of a length or in a country that is none.
    ['DE31 1203 0000 0000 2020', undefined],
    ['ZZ32 1203 0000 0000 2020 51', undefined],
    // Two digits changed places; one is missing; no country; too long; words.
    ['DE02120300000000200251', undefined],
    ['DE0212030000000020205', undefined],
    ['0212030000000020205100', undefined],
    ['DE02120300000000202051'.padEnd(35, '0'), undefined],
    ['see below', undefined],
    ['', undefined],
  ])('%j is the IBAN %j', (text, iban) => {
    expect(ibanOf(text)).toBe(iban)
  })

  it.each([
    ['NO9386011117947', 'NO93 8601 1117 947'],
    ['GB33BUKB20201555555555', 'GB33 BUKB 2020 1555 5555 55'],
  ])('%s is read as %s', (iban, text) => {
    expect(ibanText(iban)).toBe(text)
  })

  it.each([
    ['byladem1001', 'BYLADEM1001'],
    ['DEUTDEFF', 'DEUTDEFF'],
    ['DEUTDEF', undefined],
    ['DEUTDEFF50', undefined],
    ['1EUTDEFF', undefined],
    ['DEUTQQFF', undefined],
  ])('%j is the BIC %j', (text, bic) => {
    expect(bicOf(text)).toBe(bic)
  })
})
