import { describe, expect, test } from 'vitest'
import { foldIssuer, issuerSpellings } from './issuer-name.ts'

describe('Two names belong to one issuer', () => {
  test.each([
    ['Microsoft', 'MICROSOFT'],
    ['Acme Ltd', 'Acme  Ltd'],
    ['Acme Ltd', 'acme\u00a0ltd.'],
    ['Acme Ltd', 'ACME, Limited'],
    ['Acme Ltd', 'Ａｃｍｅ Ｌｔｄ'],
    ['Café Société', 'Cafe\u0301 Socie\u0301te\u0301'],
    ['Amazon Web Services, Inc.', 'Amazon Web Services Incorporated'],
    ['Straße GmbH', 'STRASSE G.m.b.H.'],
    ['Straße GmbH', 'Strasse Gesellschaft mit beschränkter Haftung'],
    ['Banque S.à r.l.', 'BANQUE SARL'],
    ["O'Neil & Sons", 'O’Neil Sons'],
    ['Acme\u200b Ltd', 'Acme Ltd'],
    ['Acme Pty. Ltd.', 'Acme Proprietary Limited'],
    ['ΟΔΟΣ', 'οδος'],
  ])('%j and %j', (one, other) => {
    expect(foldIssuer(one)).toBe(foldIssuer(other))
  })
})

describe('Two names belong to two issuers', () => {
  test.each([
    ['Acme Ltd', 'Acme GmbH'],
    ['Acme Ltd', 'Acme Inc.'],
    ['Acme Ltd', 'Acme'],
    ['Acme LLC', 'Acme Ltd'],
    ['Acme Limited Liability Company', 'Acme Limited'],
    ['Acme plc', 'Acme Ltd'],
    ['Amazon Web Services, Inc.', 'Amazon Web Services EMEA SARL'],
    ['Acme 1', 'Acme 2'],
    ['Müller', 'Muller'],
    ['A+', 'A'],
    ['--', '…'],
  ])('%j and %j', (one, other) => {
    expect(foldIssuer(one)).not.toBe(foldIssuer(other))
  })
})

test('Several spellings result in the same representative, regardless of their order', () => {
  const names = ['MICROSOFT', 'Microsoft', 'microsoft', 'Other']
  for (const order of [names, names.toReversed()]) {
    const spellings = issuerSpellings()
    for (const name of order) spellings.see(name)
    expect(spellings.nameOf(foldIssuer('microsoft'))).toBe('MICROSOFT')
    expect(spellings.nameOf(spellings.see('Other'))).toBe('Other')
  }
})
