import { Problem } from '#lib/platform/api/problem.ts'

/** What an operator says to have something that is stored changed by a file. */
export type Leave = '--replace' | '--correct' | '--same-issuer'

/** One thing that stands in the way of an import. */
export type ImportProblem = {
  /** Whose part of an import it is in, where that is for several customers. */
  customer?: string | undefined
  /** Which file, where there are several. */
  file?: string | undefined
  /** Line in the file, from 1; absent where the trouble is not one of the file's lines. */
  line?: number | undefined
  /** What it is about where no line tells: `invoice 2024-09-1a2b3c4d`. */
  subject?: string | undefined
  /** The column of the file, or the field of the noun. */
  column?: string | undefined
  reason: string
  /** The option with which the import would do it nonetheless. */
  allowedBy?: Leave
}

/** How many problems one refusal lists; whoever looks for them stops there. */
export const MAX_PROBLEMS = 20

/** A file or its content was refused as a whole: nothing of it is stored. */
export class ImportError extends Problem {
  readonly problems: readonly ImportProblem[]

  constructor(problems: readonly ImportProblem[]) {
    super('invalid_request', problems.map(problemText).join('\n'))
    this.name = 'ImportRefused'
    this.problems = problems
  }
}

/** As people read it: `line 12, BilledCost: "abc" is not a number`. */
export function problemText({ customer, file, line, subject, column, reason }: ImportProblem): string {
  const lineText = line === undefined ? undefined : `line ${line}`
  const location = [customer, file, lineText, subject, column].filter(Boolean)
  return location.length === 0 ? reason : `${location.join(', ')}: ${reason}`
}

/** One field that is not what is stored: `stored 10.00, given 12.00`. */
export function difference(
  subject: string,
  column: string,
  stored: unknown,
  incoming: unknown,
  allowedBy: Leave,
): ImportProblem {
  return {
    subject,
    column,
    reason: `stored ${formatValue(stored)}, given ${formatValue(incoming)}`,
    allowedBy,
  }
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'nothing'
  const text = value instanceof Date ? value.toISOString() : String(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

/** Collects what is wrong with a file, so that one run shows it all; up to 20 problems. */
export type ProblemList = {
  /** @throws ImportError with all of them, once there are 20 */
  add(problem: ImportProblem): void
  isEmpty(): boolean
  /** @throws ImportError if there is any */
  throwIfAny(): void
}

export function problemList(): ProblemList {
  const problems: ImportProblem[] = []
  return {
    add(problem) {
      problems.push(problem)
      if (problems.length >= MAX_PROBLEMS) throw new ImportError(problems)
    },
    isEmpty: () => problems.length === 0,
    throwIfAny() {
      if (problems.length > 0) throw new ImportError(problems)
    },
  }
}

/** The same error; where it is a refusal, each of its problems tells the file. */
export function ofFile(error: unknown, file: string): unknown {
  if (!(error instanceof ImportError)) return error
  return new ImportError(error.problems.map((problem) => ({ file, ...problem })))
}
