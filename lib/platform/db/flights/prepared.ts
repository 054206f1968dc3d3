import { createHash } from 'node:crypto'
import type { Writable } from 'node:stream'

/** A statement as drizzle hands it to pg. */
export type Statement = {
  text: string
  rowMode?: 'array' | undefined
  types?: { getTypeParser(oid: number, format: 'text'): unknown } | undefined
  /** Such as BEGIN and SET: nothing is to be described. */
  hasNoRows?: boolean
  /** It has a value in its text, and is another one each time. */
  isUnnamed?: boolean
}

/** A column of an answer, and how its text is read; absent where it stays text. */
export type Field = { name: string; read: ((text: string) => unknown) | undefined }

/** What pg gives to whatever is sent over one of its connections; its types leave some of it out. */
export type Connection = {
  stream: Writable
  close(statement: { type: 'S'; name: string }): void
  parse(statement: { name: string; text: string }): void
  bind(portal: { statement: string; values: unknown[] }): void
  describe(portal: { type: 'P'; name: '' }): void
  execute(portal: object): void
  sync(): void
}

/** Statements that get a name, so that PostgreSQL plans them once for a connection. Filters make some hundred of them. */
const MOST_NAMES = 500
const names = new Map<string, string>()

/**
 * The name under which a statement is prepared, which its text gives it; undefined where too many have one. It is no
 * number, because another copy of this module shares the connections, and would number other statements.
 */
export function nameOf(text: string): string | undefined {
  // Each cursor has columns of its own, whatever it is called.
  if (/^\s*FETCH\b/i.test(text)) return undefined
  const known = names.get(text)
  if (known !== undefined || names.size >= MOST_NAMES) return known
  const name = createHash('sha256').update(text).digest('base64url')
  names.set(text, name)
  return name
}

const NO_FIELDS: readonly Field[] = []

/** On each connection the statements that flights have prepared there, with the columns of their answers: for all copies of this module. */
const PREPARED = Symbol.for('licenses-invoices: prepared on this connection')

function preparedOn(connection: Connection): Map<string, readonly Field[]> {
  const own = connection as { [PREPARED]?: Map<string, readonly Field[]> }
  own[PREPARED] ??= new Map()
  return own[PREPARED]
}

/**
 * Sends a statement, prepared if it was not yet.
 * @returns the columns of its answer, where they are known; else the database will describe them
 */
export function sendPrepared(
  connection: Connection,
  { text, hasNoRows = false, isUnnamed = false }: Statement,
  values: unknown[],
): readonly Field[] | undefined {
  const known = isUnnamed ? undefined : nameOf(text)
  // pg keeps a list of its own of what it has prepared: the same statement has another name there.
  const name = known === undefined ? '' : `flight-${known}`
  const fields = preparedOn(connection).get(text)
  if (!fields) {
    // One that was prepared in a flight which failed may have this name. To close what is not there is no error.
    if (name) connection.close({ type: 'S', name })
    connection.parse({ name, text })
  }
  connection.bind({ statement: name, values })
  if (!fields && !hasNoRows) connection.describe({ type: 'P', name: '' })
  connection.execute({})
  return hasNoRows ? NO_FIELDS : fields
}

/** Notes that a statement is prepared on this connection from now on. */
export function remember(connection: Connection, statement: Statement, fields: readonly Field[]): void {
  const { text, isUnnamed } = statement
  if (!isUnnamed && nameOf(text) !== undefined) preparedOn(connection).set(text, fields)
}

/** Has a statement prepared anew. */
export function forget(connection: Connection, { text }: Statement): void {
  preparedOn(connection).delete(text)
}
