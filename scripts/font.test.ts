import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { GREEK_AND_CYRILLIC, LATIN, screenFont } from './font.ts'

test.each([LATIN, GREEK_AND_CYRILLIC])('the committed files equal the generated ones', async (file) => {
  expect(readFileSync(file.path).equals(await screenFont(file))).toBe(true)
})

test("the file that each screen loads covers each character in the screens' texts", () => {
  const missing = new Set<string>()
  // Full-width characters are in guards against formulas.
  for (const file of globSync('{app,components}/**/*.{ts,tsx}')) {
    if (file.includes('.test.')) continue
    for (const sign of readFileSync(file, 'utf8').match(/[^\s\x20-\x7e\uff00-\uffef]/gu) ?? []) {
      if (!LATIN.characters.includes(sign)) missing.add(`${sign} in ${file}`)
    }
  }
  expect([...missing]).toEqual([])
})

test('the style sheet loads the other file only for texts with its characters', () => {
  const [, list = ''] = /'unicode-range', value: '([^']+)'/.exec(
    readFileSync('app/font/inter.ts', 'utf8').replace(/\s+/g, ' '),
  ) ?? ['']
  const named = list.split(', ').flatMap((one) => {
    const [from = 0, to = from] = one
      .slice(2)
      .split('-')
      .map((code) => Number.parseInt(code, 16))
    return Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at))
  })
  expect(named.toSorted()).toEqual([...GREEK_AND_CYRILLIC.characters].toSorted())
})
