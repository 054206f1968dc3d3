import pg from 'pg'
import { type Connection, type Field, forget, remember, type Statement, sendPrepared } from './prepared.ts'

type Answer = { rows: unknown[]; rowCount: number }
type Part = {
  statement: Statement
  values: unknown[]
  fields: readonly Field[] | undefined
  rows: unknown[]
  rowCount: number
  resolve(answer: Answer): void
  reject(error: Error): void
}

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils
const asText = pg.types.getTypeParser(pg.types.builtins.TEXT)

// A client that pipelines takes nothing but pg's own queries: what left a portal open would mix up the answers.
const Query = pg.Query as unknown as new (text: string) => object

/**
 * Statements that leave together, under one Sync, and have one answer to wait for. No statement can need the rows of
 * another one. PostgreSQL makes them one transaction, which it commits at the Sync, or rolls back where one of them
 * fails; a customer's has a BEGIN and what belongs to it (lib/platform/db/connections/opening.ts), and whoever sends it ends it.
 */
export class Flight extends Query {
  readonly #parts: Part[] = []
  #at = 0
  #isSent = false
  #unread: Error | null = null
  /** Whether it has a BEGIN, so that it needs an end. */
  isOpened = false
  /** Called once, when all is over: by this class, and by pg where no answer comes in time. */
  callback: (error: Error | null) => void

  /** Hears before all others that it has ended, and by what it failed, if it did. */
  onEnd: (error: Error | null) => void = () => {}

  constructor() {
    super('')
    this.callback = (error) => {
      this.onEnd(error)
      for (const { rows, rowCount, resolve, reject } of this.#parts)
        if (error) reject(error)
        else resolve({ rows, rowCount })
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
    return this.#take(statement, values, 'push')
  }

  /** Ends its transaction at the end of it, or at its beginning the one of the flight that was sent before it. */
  close(statement: Statement, where: 'at the end' | 'first'): void {
    this.#take(statement, [], where === 'first' ? 'unshift' : 'push').catch(() => {})
  }

  #take(statement: Statement, values: readonly unknown[], where: 'push' | 'unshift'): Promise<Answer> {
    const prepared = values.map((value) => prepareValue(value))
    return new Promise((resolve, reject) => {
      const part = { statement, values: prepared, fields: undefined, rows: [], rowCount: 0, resolve, reject }
      this.#parts[where](part)
    })
  }

  /** Called by pg when it is this flight's turn. */
  submit(given: pg.Connection): null {
    this.#isSent = true
    const connection = given as unknown as Connection
    connection.stream.cork()
    for (const part of this.#parts) part.fields = sendPrepared(connection, part.statement, part.values)
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

  handleDataRow({ fields: texts }: { fields: (string | null)[] }): void {
    const { fields = [], rows, statement } = this.#parts[this.#at] as Part
    try {
      const row = texts.map((text, at) => {
        const read = fields[at]?.read
        return text === null || !read ? text : read(text)
      })
      rows.push(statement.rowMode ? row : Object.fromEntries(fields.map(({ name }, at) => [name, row[at]])))
    } catch (error) {
      // Thrown here it would end the process.
      this.#unread = error as Error
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    const part = this.#parts[this.#at++] as Part
    // As in `UPDATE 3`, and `INSERT 0 3`.
    // What was described as nothing has no columns.
    part.fields ??= []
    part.rowCount = Number(/\d+$/.exec(text)?.[0] ?? 0)
  }

  handleReadyForQuery(connection: Connection): void {
    for (const { statement, fields } of this.#parts) if (fields) remember(connection, statement, fields)
    this.callback(this.#unread)
  }

  /** @param connection absent where there was none to be had */
  handleError(error: Error, connection?: Connection): void {
    // One whose table was changed is prepared anew.
    for (const { statement } of this.#parts) if (connection) forget(connection, statement)
    this.callback(error)
  }
}
