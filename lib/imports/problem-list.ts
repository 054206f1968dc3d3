import { type ImportProblem, ImportRefused, MOST_PROBLEMS } from './refused.ts'

/** Collects what is wrong with a file, so that one run shows it all; up to 20 problems. */
export type ProblemList = {
  /** @throws ImportRefused with all of them, once there are 20 */
  add(problem: ImportProblem): void
  isEmpty(): boolean
  /** @throws ImportRefused if there is any */
  refuseIfAny(): void
}

export function problemList(): ProblemList {
  const found: ImportProblem[] = []
  return {
    add(problem) {
      found.push(problem)
      if (found.length >= MOST_PROBLEMS) throw new ImportRefused(found)
    },
    isEmpty: () => found.length === 0,
    refuseIfAny() {
      if (found.length > 0) throw new ImportRefused(found)
    },
  }
}

/** Why a text from a file can't be kept as it is; undefined where it can. */
export function textFault(text: string, longest: number): string | undefined {
  if (text.length > longest) return `has ${text.length} characters, and at most ${longest} are kept`
  if (/\p{Cc}/u.test(text)) return 'has a control character in it'
  return text.isWellFormed() ? undefined : 'has half a character in it'
}
