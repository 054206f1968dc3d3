import { expect, test } from 'vitest'
import { isTest } from './scan.ts'
import { parse, readProject } from './words.ts'

// Words that people read on screens, in mails, errors and the command line. The console uses none of these; elsewhere a
// ceiling may only fall.

/** Word that is not used, with the word to use. */
const UNUSED: [RegExp, string][] = [
  [/\bwhoever\b/i, 'anyone'],
  [/\bsomebody\b/i, 'someone'],
  [/\bnobody\b/i, 'no one'],
  [/\beverybody\b/i, 'everyone'],
  [/\bdearer\b/i, 'more expensive, costs more'],
  [/\be-mail/i, 'email'],
  [/\bcan not\b/i, 'cannot'],
  [/\bcomes? to\b/i, 'is, adds up to'],
  [/\bstands?\b/i, 'is'],
  [/\bsecond factors?\b/i, 'two-step verification'],
  [/\bposting details\b/i, 'accounting details'],
  [/\bwhat needs you\b/i, 'needs attention'],
  [/\bchange several\b/i, 'bulk edit'],
  [/\bissue a key\b/i, 'create a key'],
  [/\bunselect\b/i, 'clear'],
  [/\bsuccessfully\b/i, 'nothing'],
]
const CEILING_OF_LIB = 8

const all = [...readProject().sources].filter(
  ([file]) => /^(app|components|lib)\//.test(file) && !isTest(file),
)

/** Returns the texts with a word that is not used, as `file: text`. */
function textsIn(files: [string, { texts: readonly string[] }][]): string[] {
  return files.flatMap(([file, { texts }]) =>
    texts
      // A text of one lower-case word is a name of the code.
      .filter((text) => /[A-Z ]/.test(text) && UNUSED.some(([pattern]) => pattern.test(text)))
      .map((text) => `${file}: ${text.trim().slice(0, 100)}`),
  )
}

test('the console uses no word that the glossary replaces', () => {
  expect(textsIn(all.filter(([file]) => !file.startsWith('lib/')))).toEqual([])
})

test(`lib has at most ${CEILING_OF_LIB} texts with a word of the list`, () => {
  const texts = textsIn(all.filter(([file]) => file.startsWith('lib/')))
  expect(texts.slice(CEILING_OF_LIB)).toEqual([])
})

test.each([
  ['<p>Somebody changed it</p>', 1],
  ['const a = `Ask whoever \u0024{name} is`', 1],
  ["const kind = 'nobody'", 0],
  ['// Somebody\nconst somebody = 1', 0],
  ['<p>Someone changed it</p>', 0],
])('the texts of %j are read', (text, count) => {
  expect(textsIn([['app/a.tsx', parse('a.tsx', text)]])).toHaveLength(count)
})
