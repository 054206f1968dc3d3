import { createInterface } from 'node:readline'
import { Problem, toProblem } from '#lib/platform/api/problem.ts'
import { note } from './terminal.ts'

/** More would be a slip: a whole disk, say. */
const MOST = 100_000

/**
 * What is meant by a word of the command line: itself, or with `-` each line of the standard input that is not blank.
 * @throws Problem where there is no line
 */
export async function linesOrWord(word: string): Promise<string[]> {
  if (word !== '-') return [word]
  const lines = new Set<string>()
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    const text = line.replace(/^\ufeff/, '').trim()
    if (text !== '') lines.add(text)
    if (lines.size > MOST) throw new Problem('invalid_request', `There are more than ${MOST} lines.`)
  }
  if (lines.size === 0) throw new Problem('invalid_request', 'There is no line on the standard input.')
  return [...lines]
}

/**
 * Does it with one after the other, each for itself: what is refused of one keeps none of the others.
 * @throws Problem in the end, where any was refused
 */
export async function forEachOf(all: readonly string[], work: (one: string) => Promise<void>): Promise<void> {
  if (all.length === 1 && all[0] !== undefined) return work(all[0])
  let refused = 0
  for (const one of all) {
    try {
      await work(one)
    } catch (error) {
      const problem = toProblem(error)
      // What fails for one fails for all.
      if (problem.status >= 500) throw error
      refused += 1
      note(`${one}: ${problem.message}`)
    }
  }
  if (refused > 0) throw new Problem('invalid_request', `${refused} of ${all.length} were refused.`)
}
