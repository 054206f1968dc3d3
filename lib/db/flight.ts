import type { Writable } from 'node:stream'
import pg from 'pg'
import { nameOf } from './names.ts'

/** A statement as drizzle hands it to pg. */
export type Statement = {
  text: string
  rowMode?: 'array' | undefined
  types?: { getTypeParser(oid: number, format: 'text'): unknown } | undefined
}

/** A column of an answer, and how its text is read; absent where it stays text. */
type Field = { name: string; read: ((text: string) => unknown) | undefined }
type Answer = { rows: unknown[]; rowCount: number }
type Part = {
  statement: Statement
  values: unknown[]
  name: string
  fields: readonly Field[] | undefined
  rows: unknown[]
  resolve(answer: Answer): void
  reject(error: Error): void
}

/** What pg gives to whatever is sent over one of its connections; its types leave some of it out. */
type Connection = {
  stream: Writable
  close(statement: { type: 'S'; name: string }): void
  parse(statement: { name: string; text: string }): void
  bind(portal: { statement: string; values: unknown[] }): void
  describe(portal: { type: 'P'; name: '' }): void
  execute(portal: object): void
  sync(): void
}
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils
const asText = pg.types.getTypeParser(pg.types.builtins.TEXT)

/** Of each connection the statements that it has prepared, with the columns of their answers. */
const prepared = new WeakMap<Connection, Map<string, readonly Field[]>>()

// A client that pipelines takes nothing but pg's own queries: what left a portal open would mix up the answers.
const Query = pg.Query as unknown as new (text: string) => object

/**
 * Statements that leave together, under one Sync: PostgreSQL makes them one transaction, which it commits at the Sync,
 * or rolls back where one of them fails. So there is neither BEGIN nor COMMIT, and one answer to wait for. The settings
 * of the connection say what kind of transaction it is. No statement can need the rows of another one.
 */
export class Flight extends Query {
  readonly #parts: Part[] = []
  #at = 0
  #isSent = false
  /** Called once, when all is over: by this class, and by pg where no answer comes in time. */
  callback: (error: Error | null) => void

  /** Hears before all others that it has ended, and by what it failed, if it did. */
  onEnd: (error: Error | null) => void = () => {}

  constructor() {
    super('')
    this.callback = (error) => {
      this.onEnd(error)
      for (const { rows, resolve, reject } of this.#parts)
        if (error) reject(error)
        else resolve({ rows, rowCount: rows.length })
    }
  }

  /** What it sends. */
  get statements(): readonly (Statement & { values: unknown[] })[] {
    return this.#parts.map(({ statement, values }) => ({ ...statement, values }))
  }

  /**
   * Takes a statement along. Its rows are given when all statements have been carried out.
   * @throws Error where the flight has left
   */
  add(statement: Statement, values: readonly unknown[] = []): Promise<Answer> {
    if (this.#isSent) throw new Error('This statement comes after the end of its transaction.')
    return new Promise((resolve, reject) => {
      const name = nameOf(statement.text)
      const part = { fields: undefined, rows: [], resolve, reject }
      this.#parts.push({
        ...part,
        statement,
        values: values.map((value) => prepareValue(value)),
        // pg keeps a list of its own of what it has prepared: the same statement has another name there.
        name: name === undefined ? '' : `flight-${name}`,
      })
    })
  }

  /** Called by pg when it is this flight's turn. */
  submit(given: pg.Connection): null {
    this.#isSent = true
    const connection = given as unknown as Connection
    const known = prepared.get(connection) ?? new Map<string, readonly Field[]>()
    prepared.set(connection, known)
    connection.stream.cork()
    for (const part of this.#parts) send(connection, part, known)
    connection.sync()
    connection.stream.uncork()
    return null
  }

  // Called by pg for what comes back, in the order of the statements.

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    const part = this.#parts[this.#at] as Part
    const { getTypeParser } = part.statement.types ?? pg.types
    part.fields = fields.map(({ name, dataTypeID }) => {
      const read = getTypeParser(dataTypeID, 'text') as (text: string) => unknown
      return { name, read: read === asText ? undefined : read }
    })
  }

  handleDataRow({ fields: row }: { fields: unknown[] }): void {
    const { fields = [], rows, statement } = this.#parts[this.#at] as Part
    for (let at = 0; at < row.length; at++) {
      const read = fields[at]?.read
      if (read && row[at] !== null) row[at] = read(row[at] as string)
    }
    rows.push(
      statement.rowMode ? row : Object.fromEntries(fields.map(({ name }, index) => [name, row[index]])),
    )
  }

  handleCommandComplete(): void {
    this.#at++
  }

  handleReadyForQuery(connection: Connection): void {
    const known = prepared.get(connection)
    for (const { name, fields } of this.#parts) if (name && fields) known?.set(name, fields)
    this.callback(null)
  }

  /** @param connection absent where there was none to be had */
  handleError(error: Error, connection?: Connection): void {
    // One whose table was changed is prepared anew.
    const known = connection && prepared.get(connection)
    for (const { name } of this.#parts) known?.delete(name)
    this.callback(error)
  }
}

function send(connection: Connection, part: Part, known: ReadonlyMap<string, readonly Field[]>): void {
  const { name, statement, values } = part
  part.fields = known.get(name)
  if (!part.fields) {
    // One that was prepared in a flight which failed may have this name. To close what is not there is no error.
    if (name) connection.close({ type: 'S', name })
    connection.parse({ name, text: statement.text })
  }
  connection.bind({ statement: name, values })
  if (!part.fields) connection.describe({ type: 'P', name: '' })
  connection.execute({})
}
