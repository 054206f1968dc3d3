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

/** The same error; where it is a refusal, each of its problems tells the file. */
export function ofFile(error: unknown, file: string): unknown {
  if (!(error instanceof ImportRefused)) return error
  return new ImportRefused(error.problems.map((problem) => ({ file, ...problem })))
}
