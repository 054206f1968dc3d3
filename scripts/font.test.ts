import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CHARACTERS, FONT, screenFont } from './font.ts'

test('the font that is kept is the one that is made', async () => {
  expect(readFileSync(FONT).equals(await screenFont())).toBe(true)
})

test('it has each sign that stands in the text of a screen', () => {
  const missing = new Set<string>()
  // Those of full width stand in guards against formulas.
  for (const file of globSync('{app,components}/**/*.{ts,tsx}')) {
    if (file.includes('.test.')) continue
    for (const sign of readFileSync(file, 'utf8').match(/[^\s\x20-\x7e\uff00-\uffef]/gu) ?? []) {
      if (!CHARACTERS.includes(sign)) missing.add(`${sign} in ${file}`)
    }
  }
  expect([...missing]).toEqual([])
})
