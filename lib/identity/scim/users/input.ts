import { z } from 'zod'
import { isKept, readPath } from '../filter.ts'
import { entriesOf, type Step } from '../patch.ts'
import { refused } from '../protocol.ts'
import type { Names } from '../rules.ts'

/** What a request says of a user; what it does not name stays. */
export type UserInput = Names & { userName?: string; externalId?: string | null; active?: boolean }

/** The server's own: a request may carry them back, and changes nothing by it. */
const READ_ONLY = ['id', 'meta', 'schemas', 'groups']
const NAMES: Record<string, keyof Names> = {
  displayname: 'displayName',
  'name.formatted': 'formatted',
  'name.givenname': 'givenName',
  'name.familyname': 'familyName',
}

/** What a whole user says. @throws Problem `invalidValue` */
export function userOf(resource: Record<string, unknown>): UserInput {
  const steps = Object.entries(resource).flatMap(([name, value]): Step[] =>
    // Another one's attribute may have any name.
    /^[\w$:.-]{1,300}$/.test(name) ? [{ ...readPath(name), op: 'replace', value, isNamed: false }] : [],
  )
  return userAfter(steps)
}

/** What the steps of a PATCH come to. @throws Problem `invalidValue` or `mutability` */
export function userAfter(steps: readonly Step[]): UserInput {
  const input: UserInput = {}
  for (const step of steps) take(input, step)
  return input
}

function take(input: UserInput, { name, op, value: given, isNamed }: Step): void {
  const value = op === 'remove' ? null : given
  const part = NAMES[name]
  if (part) input[part] = textOf(name, value)
  else if (name === 'name') takeName(input, value)
  else if (name === 'externalid') input.externalId = textOf(name, value, 300)
  else if (name === 'username') input.userName = addressOf(value)
  else if (name === 'active') input.active = switchOf(value)
  else if (isNamed && READ_ONLY.includes(name))
    throw refused('mutability', `${name} can not be changed by a directory.`)
}

function takeName(input: UserInput, value: unknown): void {
  if (value === null) Object.assign(input, { formatted: null, givenName: null, familyName: null })
  else
    for (const [key, part] of entriesOf(value)) {
      const known = NAMES[`name.${key.toLowerCase()}`]
      if (known) input[known] = textOf(`name.${key}`, part)
    }
}

/** @throws Problem `invalidValue` */
export function textOf(name: string, value: unknown, longest = 200): string | null {
  if (value === null || value === undefined || value === '') return null
  if (typeof value !== 'string' || value.length > longest || /\p{Cc}/u.test(value) || !isKept(value))
    throw refused('invalidValue', `${name.slice(0, 50)} must be text of at most ${longest} characters.`)
  return value.trim() || null
}

function addressOf(value: unknown): string {
  const address = z
    .email()
    .max(254)
    .safeParse(typeof value === 'string' ? value.trim() : value)
  if (!address.success) throw refused('invalidValue', 'userName must be an e-mail address.')
  return address.data
}

/** Microsoft Entra ID writes it as text, too. */
function switchOf(value: unknown): boolean {
  const text = typeof value === 'string' ? value.toLowerCase() : value
  if (text === true || text === 'true') return true
  if (text === false || text === 'false') return false
  throw refused('invalidValue', 'active must be true or false.')
}
