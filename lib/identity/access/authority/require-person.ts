import 'server-only'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'

/**
 * To be asked before anything is given by which somebody could stay who has stolen an API key.
 * @param what what it takes a person for: "To invite somebody"
 * @throws Problem `permission_denied` for an API key
 */
export function requirePerson({ via }: Pick<Caller, 'via'>, what: string): void {
  if (via !== 'key') return
  throw new Problem(
    'permission_denied',
    `${what} takes a signed-in member. An API key gives nobody anything, so that whoever has stolen one is out when it ends.`,
  )
}
