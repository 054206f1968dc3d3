import { createHash } from 'node:crypto'

/** Statements that get a name, so that PostgreSQL plans them once for a connection. Filters make some hundred of them. */
const MOST_NAMES = 500
const names = new Map<string, string>()

/**
 * The name under which a statement is prepared, which its text gives it; undefined where too many have one. It is no
 * number, because another copy of this module shares the connections, and would number other statements.
 */
export function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= MOST_NAMES) return known
  const name = createHash('sha256').update(text).digest('base64url')
  names.set(text, name)
  return name
}
