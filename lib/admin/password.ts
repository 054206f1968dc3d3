import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Command } from 'commander'
import { PASSWORD_MAX, PASSWORD_MIN } from '#lib/access/contract.ts'
import { Problem } from '#lib/api/problem.ts'
import { interruption } from './terminal.ts'

/**
 * A new password: from stdin if told so, else typed twice on the terminal, where it isn't shown.
 * @throws CommanderError where there is no terminal; Problem where the password is too short or too long
 */
export async function newPassword(options: { passwordStdin?: boolean }, command: Command): Promise<string> {
  if (options.passwordStdin) return checked(await fromStdin())
  if (!process.stdin.isTTY)
    command.error('error: there is no terminal to ask on: give the password with --password-stdin')
  const password = checked(await ask('Password: '))
  if ((await ask('Again: ')) !== password) throw new Problem('invalid_request', 'The two are not the same.')
  return password
}

function checked(password: string): string {
  const { length } = password
  if (length >= PASSWORD_MIN && length <= PASSWORD_MAX) return password
  const limits = `${PASSWORD_MIN} to ${PASSWORD_MAX} characters`
  throw new Problem('invalid_request', `A password has ${limits}, and this one has ${length}.`)
}

/** All of stdin but the line end, with which `echo` and editors close it. */
async function fromStdin(): Promise<string> {
  let text = ''
  process.stdin.setEncoding('utf8')
  for await (const chunk of process.stdin) {
    text += chunk
    if (text.length > PASSWORD_MAX + 2) break
  }
  return text.replace(/\r?\n$/, '')
}

async function ask(question: string): Promise<string> {
  process.stderr.write(question)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  try {
    terminal.once('SIGINT', () => interruption.abort(new Error('Interrupted: nothing was stored.')))
    return await terminal.question('', { signal: interruption.signal })
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}
