import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { interruption } from './terminal.ts'

/**
 * Wrong usage where a question could be put to nobody.
 * @throws CommanderError
 */
export function needTerminal(command: Command, isStdinTaken: boolean): void {
  if (process.stdin.isTTY && !isStdinTaken) return
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
