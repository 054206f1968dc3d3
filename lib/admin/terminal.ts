import { CommanderError } from 'commander'
import { ImportRefused, type Leave, MOST_PROBLEMS, problemText } from '#lib/imports/refused.ts'
import { errorCode, Problem } from '#lib/platform/api/problem.ts'

/** Aborted by Ctrl-C: what is being imported stops and rolls back, and no more licenses are changed. */
export const interruption = new AbortController()

/** A command that was interrupted and knows what it has done until then. */
export class Interrupted extends Error {}

/** A result, on stdout. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** A remark, on stderr: stdout can be piped. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Says what went wrong, in one line where one will do and never with a stack, and how to exit. */
export async function exitCodeOf(error: unknown): Promise<number> {
  // Commander has said it already. It ends with 0 after --help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (interruption.signal.aborted) {
    note(error instanceof Interrupted ? error.message : interruption.signal.reason.message)
    return 130
  }
  note(error instanceof ImportRefused ? listOf(error) : await messageOf(error))
  return 1
}

function listOf({ problems }: ImportRefused): string {
  const lines = problems.map((problem) => `  ${problemText(problem)}`)
  if (problems.length >= MOST_PROBLEMS)
    lines.push(`  … and perhaps more: these are the first ${MOST_PROBLEMS}.`)
  const [leave] = problems.map(({ allowedBy }) => allowedBy)
  const hint = leave && problems.every(({ allowedBy }) => allowedBy === leave) ? [HINTS[leave]] : []
  return ['Refused, and nothing was stored:', ...lines, ...hint].join('\n')
}

const HINTS: Record<Leave, string> = {
  '--replace': 'What is stored differs. Add --replace to write over it.',
  '--correct':
    'What was issued does not change by itself. If these files are a part of a bill, import all of its parts together. If they are the whole, add --correct: what is there is voided, and what they have comes into its place.',
}

const BUSY = new Set(['55P03', '40P01', '40001', '23505'])

async function messageOf(error: unknown): Promise<string> {
  if (error instanceof Problem) return error.message
  const code = errorCode(error)
  if (code !== undefined && BUSY.has(code))
    return 'Somebody else is changing the same rows at this moment. Nothing was stored; try again.'
  // By this the database refuses to change what is closed.
  const isClosed = code === 'CC001'
  // The log knows all settings, which no --help needs.
  const { reasonOf } = await import('#lib/platform/runtime/log.ts')
  return isClosed ? `${reasonOf(error)} See: customers reopen` : `Failed: ${reasonOf(error)}`
}
