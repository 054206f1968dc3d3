import { MOST } from '../contract.ts'
import { readFilter } from '../filter.ts'
import type { Step } from '../patch.ts'
import { refused } from '../protocol.ts'
import { textOf } from '../users/input.ts'

/** What a request makes of a group; what it does not name stays. */
export type GroupInput = { displayName?: string; externalId?: string | null; members: Set<string> }

const READ_ONLY = ['id', 'meta', 'schemas']

/**
 * What the steps of a PATCH, or a whole group, come to.
 * @param members ids of those who are in it
 * @throws Problem `invalidValue`, `invalidFilter`, `invalidPath` or `mutability`
 */
export function groupAfter(steps: readonly Step[], members: readonly string[]): GroupInput {
  const input: GroupInput = { members: new Set(members) }
  for (const step of steps) take(input, step)
  return input
}

/** The steps that set what a whole group names. */
export function stepsOfGroup(resource: Record<string, unknown>): Step[] {
  return Object.entries(resource).map(([name, value]) => ({
    name: name.toLowerCase(),
    op: 'replace',
    value,
    isNamed: false,
  }))
}

function take(input: GroupInput, step: Step): void {
  const { name, op, value, isNamed } = step
  if (name === 'members') takeMembers(input.members, step)
  else if (name === 'displayname') {
    const text = op === 'remove' ? null : textOf(name, value)
    if (text === null) throw refused('invalidValue', 'displayName is required.')
    input.displayName = text
  } else if (name === 'externalid') input.externalId = op === 'remove' ? null : textOf(name, value, 300)
  else if (isNamed && READ_ONLY.includes(name))
    throw refused('mutability', `${name} can not be changed by a directory.`)
}

function takeMembers(members: Set<string>, { op, value, filter }: Step): void {
  if (filter !== undefined) {
    if (op !== 'remove') throw refused('invalidPath', 'Members are chosen in a path to be removed only.')
    members.delete(readFilter(filter, { value: 'value' }).value)
    return
  }
  const named = value === undefined || value === null ? undefined : idsOf(value)
  if (op === 'replace' || (op === 'remove' && !named)) members.clear()
  for (const id of named ?? [])
    if (op === 'remove') members.delete(id)
    else members.add(id)
}

function idsOf(value: unknown): string[] {
  const all = Array.isArray(value) ? value : [value]
  if (all.length > MOST) throw refused('invalidValue', `One request may name at most ${MOST} members.`)
  return all.map((one: unknown) => {
    const id = typeof one === 'object' && one !== null && 'value' in one ? one.value : undefined
    if (typeof id !== 'string' || id.length > 100 || textOf('members', id) === null)
      throw refused('invalidValue', 'Each of members must have the id of a user as its value.')
    return id
  })
}
