import type { z } from 'zod'
import type { Patch } from './contract.ts'
import { type Path, readPath } from './filter.ts'
import { scimError } from './protocol.ts'

/** Step of a PATCH: an attribute, and its change. */
export type Step = Path & { op: 'add' | 'replace' | 'remove'; value: unknown; isNamed: boolean }

/**
 * Returns the steps of a PATCH, in order. An operation without a path becomes one step per attribute of its value, as
 * Microsoft Entra ID writes it; names of operations ignore case.
 * @throws Problem `invalidSyntax` or `invalidPath`
 */
export function stepsOf({ Operations }: z.output<typeof Patch>): Step[] {
  return Operations.flatMap(({ op: operator, path, value }): Step[] => {
    const op = (['add', 'replace', 'remove'] as const).find((one) => one === operator.toLowerCase())
    if (!op) throw scimError('invalidSyntax', 'An operation is add, replace or remove.')
    if (path !== undefined) return [{ ...readPath(path), op, value, isNamed: true }]
    if (op === 'remove') throw scimError('invalidPath', 'An operation that removes needs a path.')
    return entriesOf(value).map(([name, value]) => ({ ...readPath(name), op, value, isNamed: false }))
  })
}

/**
 * Returns the attributes of a resource in a request.
 * @throws Problem `invalidValue` where it is not an object
 */
export function entriesOf(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw scimError('invalidValue', 'The value must be an object with attributes.')
  return Object.entries(value)
}
