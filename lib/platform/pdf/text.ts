const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * Breaks text into lines of at most `width`: at spaces, and inside words that are wider than a line. Keeps the text's
 * own line breaks; drops characters without a glyph. Returns one line or more.
 * @param measure returns the width of a text, in the unit of `width`
 */
export function wrap(text: string, width: number, measure: (text: string) => number): string[] {
  return text.split(/\r\n?|\n/).flatMap((paragraph) => {
    const tokens = printable(paragraph)
      .split(' ')
      .filter((token) => token !== '')
      .flatMap((token) => breakToken(token, width, measure))
    const lines: string[] = []
    let line = ''
    for (const token of tokens) {
      const longer = line === '' ? token : `${line} ${token}`
      if (line !== '' && measure(longer) > width) {
        lines.push(line)
        line = token
      } else line = longer
    }
    return [...lines, line]
  })
}

/** Returns text on one line, without control, format (such as joiners and direction marks) and variation characters. */
export function printable(text: string): string {
  return text.replace(/[\p{Zs}\p{Zl}\p{Zp}\p{Cc}]+/gu, ' ').replace(/[\p{Cf}\p{Variation_Selector}]+/gu, '')
}

/** Splits a word into pieces that each fit. */
function breakToken(token: string, width: number, measure: (text: string) => number): string[] {
  if (measure(token) <= width) return [token]
  const pieces: string[] = []
  let piece = ''
  let used = 0
  for (const { segment } of graphemes.segment(token)) {
    const size = measure(segment)
    if (piece !== '' && used + size > width) {
      pieces.push(piece)
      piece = ''
      used = 0
    }
    piece += segment
    used += size
  }
  return piece === '' ? pieces : [...pieces, piece]
}
