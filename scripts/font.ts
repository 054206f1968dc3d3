import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import subsetFont from 'subset-font'

// Generates the font files of the screens, app/font/: run `npm run font` after a new version of Inter or when a
// character is added. The files are committed, so that a build needs nothing else.

const ALL = new URL('../node_modules/inter-ui/variable/InterVariable.woff2', import.meta.url)

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)).join('')

/** A file of the font, and the characters that it covers. */
export type FontFile = { path: string; characters: string }

/** Latin letters and the symbols that the screens use: each screen needs this file. */
export const LATIN: FontFile = {
  path: fileURLToPath(new URL('../app/font/inter.woff2', import.meta.url)),
  characters: [
    range(0x20, 0x7e),
    // Latin with diacritics, for all languages of the European Union, Welsh and Turkish.
    range(0xa0, 0x17f),
    range(0x218, 0x21b),
    range(0x1e80, 0x1e85),
    'ẞỲỳ',
    // Spaces, dashes, quotation marks, currencies.
    '\u2002\u2003\u2009\u200a\u202f',
    range(0x2010, 0x2015),
    range(0x2018, 0x201e),
    range(0x20a0, 0x20bf),
    '†‡•…‰′″‹›⁄₂ℓ№™←↑→↓−×≈≠≤≥✓⌘',
  ].join(''),
}

/** Browsers load this file for names in these scripts. app/font/inter.ts has the same ranges. */
export const GREEK_AND_CYRILLIC: FontFile = {
  path: fileURLToPath(new URL('../app/font/inter-greek-cyrillic.woff2', import.meta.url)),
  // Greek, and the Cyrillic of Bulgarian, Serbian, Macedonian, Ukrainian and Belarusian.
  characters: [range(0x384, 0x3ce), range(0x400, 0x45f), 'Ґґ'].join(''),
}

/** In a variable, not in the call, because the package's types are older than its options. */
const OPTIONS = {
  targetFormat: 'woff2' as const,
  variationAxes: { opsz: 14, wght: { min: 400, max: 700 } },
  keepFeatures: ['kern', 'mark', 'mkmk', 'ccmp', 'locl', 'tnum'],
  noHinting: true,
}

/**
 * Returns Inter in the weights that the screens use, for the characters of a file. Tabular digits (`tnum`) are kept,
 * stylistic alternates are left out.
 */
export async function screenFont({ characters }: FontFile): Promise<Buffer> {
  return subsetFont(await readFile(ALL), characters, OPTIONS)
}

if (import.meta.main)
  for (const file of [LATIN, GREEK_AND_CYRILLIC]) await writeFile(file.path, await screenFont(file))
