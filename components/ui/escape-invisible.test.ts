import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeInvisible } from './escape-invisible.ts'

test.each([
  ['Invoice\u202efdp.exe', 'Invoice[U+202E]fdp.exe'],
  ['Busi\u200bness', 'Busi[U+200B]ness'],
  ['\u2066Plus\u2069', '[U+2066]Plus[U+2069]'],
  ['\ufeffAna', '[U+FEFF]Ana'],
  ['An\u200da', 'An[U+200D]a'],
  ['Ana\u200d', 'Ana[U+200D]'],
  ['Plus\u{e0041}', 'Plus[U+E0041]'],
  ['Soft\u00adhyphen', 'Soft[U+00AD]hyphen'],
])('%j is shown as %s', (name, expected) => {
  expect(escapeInvisible(name)).toBe(expected)
})

test.each([
  'Business Plus',
  'Müller & Söhne, größer',
  '株式会社サンプル',
  'شرکت نمونه',
  'می\u200cخواهم',
  'क्\u200dष',
  'חברה לדוגמה',
  '👩\u200d💻 Team',
  'nbsp\u00a0is a space',
])('%s is left as it is', (name) => {
  expect(escapeInvisible(name)).toBe(name)
})

test('escaped text has no more invisible characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(escapeInvisible(escapeInvisible(text))).toBe(escapeInvisible(text))
    }),
  )
})
