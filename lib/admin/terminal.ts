import { createInterface } from 'node:readline/promises'
import { type Command, CommanderError } from 'commander'
import { ImportError, type Leave, MAX_PROBLEMS, problemText } from '#lib/imports/import-error.ts'
import { errorCode } from '#lib/platform/api/error-mapper.ts'
import { Problem } from '#lib/platform/api/problem.ts'

/** Aborted by Ctrl-C: an import stops and rolls back, and no more licenses are changed. */
export const interruption = new AbortController()

/** Thrown by an interrupted command, with a summary of its work until then. */
export class Interrupted extends Error {}

/** A result, on stdout. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** A remark, on stderr: stdout can be piped. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Wrong usage that the parser of the command line can't see: an argument has no valid value, or two don't fit. */
export class UsageError extends Problem {
  constructor(message: string) {
    super('invalid_request', message)
  }
}

/** Prints the error, in one line if possible and never with a stack, and returns the exit code. */
export async function exitCodeOf(error: unknown): Promise<number> {
  // Commander has printed it already. The code is 0 after --help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof Incomplete || error instanceof UsageError) {
    note(error.message)
    return 2
  }
  if (interruption.signal.aborted) {
    note(error instanceof Interrupted ? error.message : interruption.signal.reason.message)
    return 130
  }
  note(error instanceof ImportError ? listOf(error) : await messageOf(error))
  return 1
}

/** Ends a command that did its work but for something that waits for a person. */
export class Incomplete extends Error {}

function listOf({ problems }: ImportError): string {
  const lines = problems.map((problem) => `  ${problemText(problem)}`)
  if (problems.length >= MAX_PROBLEMS)
    lines.push(`  … and perhaps more: these are the first ${MAX_PROBLEMS}.`)
  const [leave] = problems.map(({ allowedBy }) => allowedBy)
  const advice = leave && problems.every(({ allowedBy }) => allowedBy === leave) ? [ADVICE[leave]] : []
  return ['Refused, and nothing was stored:', ...lines, ...advice].join('\n')
}

const ADVICE: Record<Leave, string> = {
  '--same-issuer':
    'One bill may have come under two names of its issuer. Add --same-issuer if these are two names of one, or --another-issuer if they are two companies: either is remembered.',
  '--replace': 'What is stored differs. Add --replace to write over it.',
  '--correct':
    'What was issued does not change by itself. If these files are a part of a bill, import all of its parts together. If they are the whole, add --correct: what is there is voided, and what they have comes into its place.',
}

const BUSY = new Set(['55P03', '40P01', '40001', '23505'])

async function messageOf(error: unknown): Promise<string> {
  if (error instanceof Problem) return error.message
  const code = errorCode(error)
  if (code !== undefined && BUSY.has(code))
    return 'Another process is changing the same rows. Nothing was stored; try again.'
  // SQLSTATE of the database for a write to closed data.
  const isClosed = code === 'CC001'
  // The log knows all settings, which no --help needs.
  const { reasonOf } = await import('#lib/platform/runtime/log.ts')
  return isClosed ? `${reasonOf(error)} See: customers reopen` : `Failed: ${reasonOf(error)}`
}

/** Prints a result for other programs. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2))
}

/** Formats a number with its noun: `1 key`, `1,204 keys`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : several}`
}

export type Cell = string | Date | readonly string[] | null

/** Prints rows as JSON, or as columns with a header. */
export function printRows<T extends Record<string, Cell>>(
  rows: readonly T[],
  { json }: { json?: boolean },
): void {
  if (json) printJson(rows)
  else for (const line of columns(rows)) print(line)
}

function columns(rows: readonly Record<string, Cell>[]): string[] {
  const names = Object.keys(rows[0] ?? {})
  if (names.length === 0) return []
  const lines = [names, ...rows.map((row) => names.map((name) => formatCell(row[name] ?? null)))]
  const widths = names.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function formatCell(cell: Cell): string {
  if (cell === null) return '-'
  if (cell instanceof Date) return cell.toISOString().slice(0, 16).replace('T', ' ')
  // Of several lines a table shows one.
  return typeof cell === 'string' ? cell.replaceAll('\n', ', ') : cell.join(',')
}

/**
 * Rejects usage that needs a question without a terminal.
 * @throws CommanderError
 */
export function needTerminal(command: Command, isStdinUsed: boolean): void {
  if (process.stdin.isTTY && !isStdinUsed) return
  command.error('error: there is no terminal to ask on: add --yes, or --dry-run to look only')
}

/**
 * Asks on the terminal.
 * @param answers those that mean yes
 */
export async function isAgreedTo(question: string, answers: readonly string[]): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr, terminal: true })
  try {
    terminal.once('SIGINT', () => interruption.abort(new Error('Interrupted: nothing was changed.')))
    const typed = terminal.question(question, { signal: interruption.signal })
    // Ctrl-D answers nothing.
    const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
    return answers.includes((await Promise.race([typed, closed])).trim().toLowerCase())
  } finally {
    terminal.close()
  }
}

/** Progress display of a long command. */
export type Progress = { update(count: number, what?: string): void; end(): void }

/** Stream that the progress is written to. */
type Output = { isTTY?: boolean; write(text: string): unknown }

/** A line that is written over, on a terminal; a line more where a log or another program reads it. */
const ON_TERMINAL = { pause: 100, before: '\r\u001b[K', after: '' }
const IN_A_LOG = { pause: 5000, before: '', after: '\n' }

/**
 * Returns a progress display.
 * @param what the counted things: `lines read`; `update` may name others
 * @param now milliseconds of a monotonic clock
 */
export function progress(
  what: string,
  stderr: Output = process.stderr,
  now = () => performance.now(),
): Progress {
  const { pause, before, after } = stderr.isTTY ? ON_TERMINAL : IN_A_LOG
  // In a log, a command that ends before the first pause prints nothing.
  let printedAt = stderr.isTTY ? Number.NEGATIVE_INFINITY : now()
  let hasPrinted = false
  return {
    update(count, other) {
      // A look at the clock for each line would cost more than the line.
      if (count % 64 !== 0) return
      const time = now()
      if (time - printedAt < pause) return
      printedAt = time
      hasPrinted = true
      stderr.write(`${before}${count.toLocaleString('en-US')} ${other ?? what} …${after}`)
    },
    end() {
      if (hasPrinted && stderr.isTTY) stderr.write('\r\u001b[K')
      hasPrinted = false
    },
  }
}
