import { Problem } from '#lib/platform/api/problem.ts'

/** Option by which an operator allows a file to change stored data. */
export type Leave = '--replace' | '--correct' | '--same-issuer'

/** Problem that prevents an import. */
export type ImportProblem = {
  /** Customer whose part of an import has the problem, where the import is for several. */
  customer?: string | undefined
  /** Which file, where there are several. */
  file?: string | undefined
  /** Line in the file, from 1; absent where the trouble is not one of the file's lines. */
  line?: number | undefined
  /** Subject where no line applies: `invoice 2024-09-1a2b3c4d`. */
  subject?: string | undefined
  /** The column of the file, or the field of the noun. */
  column?: string | undefined
  reason: string
  /** The option with which the import would do it nonetheless. */
  allowedBy?: Leave
}

/** Maximum number of problems in one error; checks stop there. */
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

/** Formats a problem: `line 12, BilledCost: "abc" is not a number`. */
export function problemText({ customer, file, line, subject, column, reason }: ImportProblem): string {
  const lineText = line === undefined ? undefined : `line ${line}`
  const location = [customer, file, lineText, subject, column].filter(Boolean)
  return location.length === 0 ? reason : `${location.join(', ')}: ${reason}`
}

/** Returns the problem of a header that lacks columns: one, however many are missing. */
export function missingColumns(line: number, names: readonly string[]): ImportProblem[] {
  const [column] = names
  if (names.length < 2)
    return column === undefined ? [] : [{ line, column, reason: 'there is no such column' }]
  return [{ line, reason: `the header lacks the columns ${names.join(', ')}` }]
}

/** Formats one field that differs from the stored value: `stored 10.00, given 12.00`. */
export function difference(
  subject: string,
  {
    column,
    stored,
    incoming,
    allowedBy,
  }: { column: string; stored: unknown; incoming: unknown; allowedBy: Leave },
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

/** Collects the problems of a file, so that one run shows all; up to 20. */
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

/** Returns the error; an ImportError with the file's name in each problem. */
export function ofFile(error: unknown, file: string): unknown {
  if (!(error instanceof ImportError)) return error
  return new ImportError(error.problems.map((problem) => ({ file, ...problem })))
}
