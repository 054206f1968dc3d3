import { createHash } from 'node:crypto'
import type { Writable } from 'node:stream'
import pg from 'pg'

/** Ends a transaction whose changes are unwanted or already confirmed. */
const COMMIT = { text: 'COMMIT', hasNoRows: true }

type Answer = { rows: unknown[]; rowCount: number }
type Part = {
  query: SqlQuery
  values: unknown[]
  fields: readonly Field[] | undefined
  rows: unknown[]
  rowCount: number
  resolve(answer: Answer): void
  reject(error: Error): void
}

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils
const asText = pg.types.getTypeParser(pg.types.builtins.TEXT)

// In pipeline mode, pg accepts only instances of its own query class: a custom query that left a portal open would mix
// up the answers.
const Query = pg.Query as unknown as new (text: string) => object

/**
 * Statements that are pipelined under one Sync, with one answer to wait for. No statement can use the rows of another
 * one. PostgreSQL runs them as one transaction, which is committed at the Sync, or rolled back if one of them fails. A
 * customer's pipeline begins with the statements of `open` (lib/platform/db/client.ts); its sender ends the transaction of
 * a BEGIN.
 */
export class PipelinedQueries extends Query {
  readonly #parts: Part[] = []
  #at = 0
  #isSent = false
  #unread: Error | null = null
  /** Whether the pipeline contains a BEGIN and therefore needs a COMMIT. */
  isOpened = false
  /** Called once at the end: by this class, or by pg after a timeout. */
  callback: (error: Error | null) => void

  /** Called first at the end, with the error if the pipeline failed. */
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

  /** Returns the statements of the pipeline. */
  get queries(): readonly (SqlQuery & { values: unknown[] })[] {
    return this.#parts.map(({ query, values }) => ({ ...query, values }))
  }

  /**
   * Adds a statement. Resolves to its rows after all statements were executed.
   * @throws Error if the pipeline was sent already
   */
  add(query: SqlQuery, values: readonly unknown[] = []): Promise<Answer> {
    if (this.#isSent) throw new Error('This statement comes after the end of its transaction.')
    return this.#enqueue(query, values, 'push')
  }

  /**
   * Adds BEGIN, which goes first. Not by a prepared name, which a server could have forgotten: the following statements
   * would then run outside of any transaction.
   */
  begin(text: string): void {
    this.isOpened = true
    this.#enqueue({ text, hasNoRows: true, isUnnamed: true }, [], 'unshift').catch(() => {})
  }

  /** Adds a statement that ends the pipeline's own transaction, or first that of the previous pipeline. */
  close(query: SqlQuery, where: 'at the end' | 'first'): void {
    this.#enqueue(query, [], where === 'first' ? 'unshift' : 'push').catch(() => {})
  }

  #enqueue(query: SqlQuery, values: readonly unknown[], where: 'push' | 'unshift'): Promise<Answer> {
    const prepared = values.map((value) => prepareValue(value))
    return new Promise((resolve, reject) => {
      const part = {
        query,
        values: prepared,
        fields: undefined,
        rows: [],
        rowCount: 0,
        resolve,
        reject,
      }
      this.#parts[where](part)
    })
  }

  /** Called by pg when it is this pipeline's turn. */
  submit(rawConnection: pg.Connection): null {
    this.#isSent = true
    const connection = rawConnection as unknown as Connection
    connection.stream.cork()
    for (const part of this.#parts) part.fields = sendPrepared(connection, part.query, part.values)
    connection.sync()
    connection.stream.uncork()
    return null
  }

  // Handlers that pg calls for the server's messages, in the order of the statements.

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    const part = this.#parts[this.#at] as Part
    const { getTypeParser } = part.query.types ?? pg.types
    part.fields = fields.map(({ name, dataTypeID }) => {
      const read = getTypeParser(dataTypeID, 'text') as (text: string) => unknown
      return { name, read: read === asText ? undefined : read }
    })
  }

  handleDataRow({ fields: texts }: { fields: (string | null)[] }): void {
    const { fields = [], rows, query } = this.#parts[this.#at] as Part
    try {
      const row = texts.map((text, at) => {
        const read = fields[at]?.read
        return text === null || !read ? text : read(text)
      })
      rows.push(query.rowMode ? row : Object.fromEntries(fields.map(({ name }, at) => [name, row[at]])))
    } catch (error) {
      // Thrown here, the error would end the process.
      this.#unread = error as Error
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    const part = this.#parts[this.#at++] as Part
    // Command tags such as `UPDATE 3` and `INSERT 0 3`. A statement described without rows has no columns.
    part.fields ??= []
    part.rowCount = Number(/\d+$/.exec(text)?.[0] ?? 0)
  }

  handleReadyForQuery(connection: Connection): void {
    for (const { query, fields } of this.#parts) if (fields) remember(connection, query, fields)
    this.callback(this.#unread)
  }

  /**
   * Called by pg after an error.
   * @param connection undefined if no connection was available
   */
  handleError(error: Error, connection?: Connection): void {
    // A statement fails after its table was changed, so prepare all of them again.
    for (const { query } of this.#parts) if (connection) forget(connection, query)
    this.callback(error)
  }
}

/** Statement as drizzle passes it to pg. */
export type SqlQuery = {
  text: string
  rowMode?: 'array' | undefined
  types?: { getTypeParser(oid: number, format: 'text'): unknown } | undefined
  /** For statements such as BEGIN and SET, which need no Describe message. */
  hasNoRows?: boolean
  /** For statements that contain a value in their text, so that each text occurs once. */
  isUnnamed?: boolean
}

/** Column of an answer with its decoder; undefined for text. */
type Field = { name: string; read: ((text: string) => unknown) | undefined }

/** Connection that pg passes to a submitted query, with the methods that pg's types lack. */
type Connection = {
  stream: Writable
  close(target: { type: 'S'; name: string }): void
  parse(query: { name: string; text: string }): void
  bind(portal: { statement: string; values: unknown[] }): void
  describe(portal: { type: 'P'; name: '' }): void
  execute(portal: object): void
  sync(): void
}

/** Most named statements: PostgreSQL plans those once per connection. Filters create some hundred of them. */
const MAX_PREPARED_NAMES = 500
const names = new Map<string, string>()

/**
 * Returns the name under which a statement is prepared, derived from its text; undefined if too many are named. A
 * counter would not do, because copies of this module share the connections, and would number differently.
 */
export function nameOf(text: string): string | undefined {
  // Each cursor has its own columns, even under the same name.
  if (/^\s*FETCH\b/i.test(text)) return undefined
  const cachedName = names.get(text)
  if (cachedName !== undefined || names.size >= MAX_PREPARED_NAMES) return cachedName
  const name = createHash('sha256').update(text).digest('base64url')
  names.set(text, name)
  return name
}

const NO_FIELDS: readonly Field[] = []

/**
 * Key of each connection's map of prepared statements to the columns of their answers; shared by all copies of this
 * module.
 */
const PREPARED = Symbol.for('licenses-invoices: prepared on this connection')

function preparedOn(connection: Connection): Map<string, readonly Field[]> {
  const preparable = connection as { [PREPARED]?: Map<string, readonly Field[]> }
  preparable[PREPARED] ??= new Map()
  return preparable[PREPARED]
}

/**
 * Sends a statement, and prepares it if necessary.
 * @returns the columns of its answer if they are known; else the server will describe them
 */
function sendPrepared(
  connection: Connection,
  { text, hasNoRows = false, isUnnamed = false }: SqlQuery,
  values: unknown[],
): readonly Field[] | undefined {
  const queryName = isUnnamed ? undefined : nameOf(text)
  // pg has its own map of prepared statements: the prefix keeps the names apart.
  const name = queryName === undefined ? '' : `flight-${queryName}`
  const fields = preparedOn(connection).get(text)
  if (!fields) {
    // A pipeline that failed may have prepared a statement of this name. Closing an unknown statement is not an error.
    if (name) connection.close({ type: 'S', name })
    connection.parse({ name, text })
  }
  connection.bind({ statement: name, values })
  if (!fields && !hasNoRows) connection.describe({ type: 'P', name: '' })
  connection.execute({})
  return hasNoRows ? NO_FIELDS : fields
}

/** Marks a statement as prepared on this connection. */
function remember(connection: Connection, query: SqlQuery, fields: readonly Field[]): void {
  const { text, isUnnamed } = query
  if (!isUnnamed && nameOf(text) !== undefined) preparedOn(connection).set(text, fields)
}

/** Marks a statement as unprepared on this connection. */
function forget(connection: Connection, { text }: SqlQuery): void {
  preparedOn(connection).delete(text)
}

/** Most pipelines that share a connection: each waits for the ones before it. */
const MAX_PIPELINES_PER_CONNECTION = 8

/** Pipelines by pool that are sent at the end of this turn of the event loop. */
const waiting = new WeakMap<pg.Pool, PipelinedQueries[]>()

/** Sends a pipeline over a connection of its own. */
export function sendAlone(pool: pg.Pool, pipeline: PipelinedQueries): void {
  depart(pool, [pipeline])
}

/**
 * Sends a pipeline over one connection together with those that other requests send in the same turn of the event loop:
 * writing to a socket and waking up its reader costs more than most statements. Each pipeline is a transaction of its
 * own and fails independently, but waits for earlier ones: only for short reads by a key.
 */
export function sendTogether(pool: pg.Pool, pipeline: PipelinedQueries): void {
  const others = waiting.get(pool)
  if (others) {
    if (others.push(pipeline) === MAX_PIPELINES_PER_CONNECTION) waiting.delete(pool)
    return
  }
  const pipelines = [pipeline]
  waiting.set(pool, pipelines)
  // By then all requests of this turn have been added.
  setImmediate(() => {
    if (waiting.get(pool) === pipelines) waiting.delete(pool)
    depart(pool, pipelines)
  })
}

function depart(pool: pg.Pool, pipelines: readonly PipelinedQueries[]): void {
  pool.connect((noConnection, client, release) => {
    if (!client) {
      for (const pipeline of pipelines) pipeline.handleError(noConnection as Error)
      return
    }
    endEach(pipelines)
    let left = pipelines.length
    let isBroken = false
    inOnePacket(client)
    for (const pipeline of pipelines) {
      pipeline.onEnd = (error) => {
        if (error && !isOfQuery(error)) isBroken = true
        left -= 1
        if (left > 0) return
        // A failed pipeline did not reach its COMMIT, or that of the one before. The connection's next user waits behind
        // this ROLLBACK.
        if (error && !isBroken && pipelines.some(({ isOpened }) => isOpened))
          client.query('ROLLBACK', (failure) => release(failure ?? false))
        else release(isBroken)
      }
      client.query(pipeline)
    }
  })
}

/** Returns whether an error is of a query, and leaves the connection intact: a FATAL one is of the server. */
function isOfQuery(error: Error): boolean {
  return error instanceof pg.DatabaseError && !/^(FATAL|PANIC)$/.test(error.severity ?? '')
}

/**
 * Ends each customer's transaction with a COMMIT under the next pipeline's Sync, or under its own if it is the last:
 * the COMMIT needs no wait of its own, and rolls a failed transaction back, so that the next pipeline starts clean.
 */
function endEach(pipelines: readonly PipelinedQueries[]): void {
  for (const [index, pipeline] of pipelines.entries()) {
    const before = pipelines[index - 1]
    const isLast = index === pipelines.length - 1
    if (isLast && pipeline.isOpened) pipeline.close(COMMIT, 'at the end')
    if (before?.isOpened) pipeline.close(COMMIT, 'first')
  }
}

/**
 * Sends one statement of a transaction. A named or prepared statement is sent as a pipeline, which first closes a name
 * left by an earlier failed transaction. A pooler would not know that the name is unused.
 */
export function sendOne(
  client: pg.PoolClient,
  { values: configValues = [], name, ...query }: pg.QueryConfig,
  {
    values = configValues,
    isPrepared = name !== undefined,
  }: { values?: unknown[]; isPrepared?: boolean } = {},
): Promise<unknown> {
  inOnePacket(client)
  if (!isPrepared) return client.query(query, values)
  const pipeline = new PipelinedQueries()
  const answer = pipeline.add(query, values)
  client.query(pipeline)
  return answer
}

/** Corks the socket until the next tick, so that all statements of this tick leave in one packet. */
export function inOnePacket(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}
