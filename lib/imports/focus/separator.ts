import { ImportRefused } from '#lib/imports/refused.ts'

const OTHERS: Record<string, string> = { ';': 'semicolons', '\t': 'tabs', '|': 'bars' }

/** Longer than any header. */
const LONGEST = 256 * 1024

/**
 * The same text. Its first line is looked at before the rest is read as CSV, whose complaints about quotes and columns
 * would not lead to what is wrong.
 * @param countKnown how many of some names are columns that the file should have
 * @throws ImportRefused where the columns are separated by something else than commas
 */
export async function* separatedByCommas(
  text: AsyncIterable<string>,
  countKnown: (names: string[]) => number,
): AsyncGenerator<string> {
  let head: string | undefined = ''
  for await (const chunk of text) {
    if (head === undefined) yield chunk
    else {
      head += chunk
      if (!/\S[^\r\n]*[\r\n]/.test(head) && head.length < LONGEST) continue
      check(head, countKnown)
      yield head
      head = undefined
    }
  }
  if (!head) return
  check(head, countKnown)
  yield head
}

function check(head: string, countKnown: (names: string[]) => number): void {
  const line = head.trimStart().split(/[\r\n]/, 1)[0] ?? ''
  const known = (separator: string) =>
    countKnown(line.split(separator).map((name) => name.trim().replace(/^"(.*)"$/, '$1')))
  const commas = known(',')
  for (const [separator, name] of Object.entries(OTHERS))
    if (known(separator) > Math.max(1, commas))
      throw new ImportRefused([
        {
          reason: `This file is separated by ${name}; save it as CSV with commas between the columns and points in the numbers.`,
        },
      ])
}
