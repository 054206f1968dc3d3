import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Command } from 'commander'
import { passwordFits } from '#lib/access/password.ts'
import { faultOf } from '#lib/access/passwords/check.ts'
import { type Owner, PASSWORD_MAX } from '#lib/access/passwords/rules.ts'
import { Problem } from '#lib/api/problem.ts'
import { interruption } from './terminal.ts'

/** Whose password it is, and which one they have now, as a hash. */
type Whose = Owner & { passwordHash?: string | undefined }

/**
 * A new password: from stdin if told so, else typed twice on the terminal, where it isn't shown.
 * @throws CommanderError where there is no terminal; Problem where it is none that the owner could set either
 */
export async function newPassword(
  options: { passwordStdin?: boolean },
  command: Command,
  owner: Whose,
): Promise<string> {
  if (options.passwordStdin) return checked(await fromStdin(), owner)
  if (!process.stdin.isTTY)
    command.error('error: there is no terminal to ask on: give the password with --password-stdin')
  const password = await checked(await ask('Password: '), owner)
  if ((await ask('Again: ')) !== password) throw new Problem('invalid_request', 'The two are not the same.')
  return password
}

async function checked(password: string, { passwordHash, ...owner }: Whose): Promise<string> {
  const isCurrent = password.length <= PASSWORD_MAX && (await passwordFits(password, passwordHash))
  const fault = await faultOf(password, owner, isCurrent)
  if (fault === undefined) return password
  // The rule speaks to the owner, who is not here.
  throw new Problem(
    'invalid_request',
    `The password ${fault.replaceAll('your', 'their').replaceAll('you have', 'they have')}.`,
  )
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
