import type { Random } from '#lib/demo/random.ts'

/** Texts that a user may write into a name, and that a program may execute or interpret. */
const HOSTILE = [
  'Compute, on demand',
  'Support “business” — 24×7',
  '=1+1',
  "=cmd|' /C calc'!A0",
  '+49 30 1234',
  '-5',
  '@SUM(A1:A9)',
  '\t=HYPERLINK("https://example.com")',
  '＝1＋1',
  'a,b;c\t"d" \'e\'',
  'first\r\nsecond\n=third',
  ') Tj ET /JavaScript (app.alert(1)) endstream endobj',
  '/OpenAction << /S /JavaScript /JS (x) >>',
  '((( \\ \\\\ \\) \\( )))',
  '%PDF-1.7 %%EOF startxref xref trailer',
  '</rdf:li><x:script>&amp;]]><![CDATA[',
  '<script>alert(1)</script>',
  'NULL undefined NaN null 0',
  'مرحبا بالعالم 12.34',
  'חשבון 5 (USD)',
  '請求書 株式会社 クラウド',
  '인보이스 클라우드',
  'Ωmega Αθήνα Ёлка ǅ ﬁ ﬀ ß ẞ',
  'e\u0301 n\u0303 Z͑ͫ̓a͡l̷g҉o',
  '👩‍👩‍👧‍👦 🏳️‍🌈 🇨🇭 ✈️',
  'a\u200bb\u200d\u2060c\ufeffd',
  '\u202Egpj.exe\u202C',
  'x\u0001\u0007\u001b[31m\u007f\u0085',
  '\u2028\u2029\u00a0\u3000',
  '\ufffe\uffff\u{1fffe}\u{10ffff}',
  '3x4 -> 3×4 => A·Α·А',
  'ﷺ ﷽',
  'W'.repeat(120),
  'ш'.repeat(90),
  'word '.repeat(80),
  '   ',
  '.',
] as const

/** Returns a text: usual, hostile, both, or of random characters. */
export function hostileText(random: Random): string {
  const chance = random.next()
  if (chance < 0.3) return `Usage of service ${random.int(1, 999)}`
  if (chance < 0.75) return random.choose(HOSTILE)
  if (chance < 0.9) return `${random.choose(HOSTILE)} ${random.choose(HOSTILE)}`
  return Array.from({ length: random.int(1, 60) }, () => anyCharacter(random)).join('')
}

function anyCharacter(random: Random): string {
  const code = random.int(1, random.choose([0x7f, 0x24f, 0x7ff, 0xffff, 0x10ffff]))
  // No lone surrogates: the database rejects them.
  return code >= 0xd800 && code <= 0xdfff ? '\ufffd' : String.fromCodePoint(code)
}
