import { createHash } from 'node:crypto'
import type { Writable } from 'node:stream'
import pg from 'pg'

/** What ends a transaction of which nothing is to be kept, or of which all was told. */
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

// A client that pipelines takes nothing but pg's own queries: what left a portal open would mix up the answers.
const Query = pg.Query as unknown as new (text: string) => object

/**
 * Statements that leave together, under one Sync, and have one answer to wait for. No statement can need the rows of
 * another one. PostgreSQL makes them one transaction, which it commits at the Sync, or rolls back where one of them
 * fails; a customer's has a BEGIN and what belongs to it (lib/platform/db/client.ts), and whoever sends it ends it.
 */
export class PipelinedQueries extends Query {
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
  get queries(): readonly (SqlQuery & { values: unknown[] })[] {
    return this.#parts.map(({ query, values }) => ({ ...query, values }))
  }

  /**
   * Takes a statement along. Its rows are given when all statements have been carried out.
   * @throws Error where the flight has left
   */
  add(query: SqlQuery, values: readonly unknown[] = []): Promise<Answer> {
    if (this.#isSent) throw new Error('This statement comes after the end of its transaction.')
    return this.#take(query, values, 'push')
  }

  /** Ends its transaction at the end of it, or at its beginning the one of the flight that was sent before it. */
  close(query: SqlQuery, where: 'at the end' | 'first'): void {
    this.#take(query, [], where === 'first' ? 'unshift' : 'push').catch(() => {})
  }

  #take(query: SqlQuery, values: readonly unknown[], where: 'push' | 'unshift'): Promise<Answer> {
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

  /** Called by pg when it is this flight's turn. */
  submit(rawConnection: pg.Connection): null {
    this.#isSent = true
    const connection = rawConnection as unknown as Connection
    connection.stream.cork()
    for (const part of this.#parts) part.fields = sendPrepared(connection, part.query, part.values)
    connection.sync()
    connection.stream.uncork()
    return null
  }

  // Called by pg for what comes back, in the order of the statements.

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
    for (const { query, fields } of this.#parts) if (fields) remember(connection, query, fields)
    this.callback(this.#unread)
  }

  /** @param connection absent where there was none to be had */
  handleError(error: Error, connection?: Connection): void {
    // One whose table was changed is prepared anew.
    for (const { query } of this.#parts) if (connection) forget(connection, query)
    this.callback(error)
  }
}

/** A statement as drizzle hands it to pg. */
export type SqlQuery = {
  text: string
  rowMode?: 'array' | undefined
  types?: { getTypeParser(oid: number, format: 'text'): unknown } | undefined
  /** Such as BEGIN and SET: nothing is to be described. */
  hasNoRows?: boolean
  /** It has a value in its text, and is another one each time. */
  isUnnamed?: boolean
}

/** A column of an answer, and how its text is read; absent where it stays text. */
type Field = { name: string; read: ((text: string) => unknown) | undefined }

/** What pg gives to whatever is sent over one of its connections; its types leave some of it out. */
type Connection = {
  stream: Writable
  close(target: { type: 'S'; name: string }): void
  parse(query: { name: string; text: string }): void
  bind(portal: { statement: string; values: unknown[] }): void
  describe(portal: { type: 'P'; name: '' }): void
  execute(portal: object): void
  sync(): void
}

/** Statements that get a name, so that PostgreSQL plans them once for a connection. Filters make some hundred of them. */
const MAX_PREPARED_NAMES = 500
const names = new Map<string, string>()

/**
 * The name under which a statement is prepared, which its text gives it; undefined where too many have one. It is no
 * number, because another copy of this module shares the connections, and would number other statements.
 */
export function nameOf(text: string): string | undefined {
  // Each cursor has columns of its own, whatever it is called.
  if (/^\s*FETCH\b/i.test(text)) return undefined
  const cachedName = names.get(text)
  if (cachedName !== undefined || names.size >= MAX_PREPARED_NAMES) return cachedName
  const name = createHash('sha256').update(text).digest('base64url')
  names.set(text, name)
  return name
}

const NO_FIELDS: readonly Field[] = []

/** On each connection the statements that flights have prepared there, with the columns of their answers: for all copies of this module. */
const PREPARED = Symbol.for('licenses-invoices: prepared on this connection')

function preparedOn(connection: Connection): Map<string, readonly Field[]> {
  const preparable = connection as { [PREPARED]?: Map<string, readonly Field[]> }
  preparable[PREPARED] ??= new Map()
  return preparable[PREPARED]
}

/**
 * Sends a statement, prepared if it was not yet.
 * @returns the columns of its answer, where they are known; else the database will describe them
 */
function sendPrepared(
  connection: Connection,
  { text, hasNoRows = false, isUnnamed = false }: SqlQuery,
  values: unknown[],
): readonly Field[] | undefined {
  const queryName = isUnnamed ? undefined : nameOf(text)
  // pg keeps a list of its own of what it has prepared: the same statement has another name there.
  const name = queryName === undefined ? '' : `flight-${queryName}`
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
function remember(connection: Connection, query: SqlQuery, fields: readonly Field[]): void {
  const { text, isUnnamed } = query
  if (!isUnnamed && nameOf(text) !== undefined) preparedOn(connection).set(text, fields)
}

/** Has a statement prepared anew. */
function forget(connection: Connection, { text }: SqlQuery): void {
  preparedOn(connection).delete(text)
}

/** So many flights share a connection at most: each waits for those before it. */
const MAX_PIPELINES_PER_CONNECTION = 8

/** Of each pool the flights that leave at the end of this turn of the event loop. */
const waiting = new WeakMap<pg.Pool, PipelinedQueries[]>()

/** Sends a flight over a connection of its own. */
export function sendAlone(pool: pg.Pool, pipeline: PipelinedQueries): void {
  depart(pool, [pipeline])
}

/**
 * Sends a flight over one connection with those that other requests send in the same turn of the event loop: to write to
 * a socket, and to wake up who reads it, costs more than what most statements cost. Each is a transaction of its own and
 * fails alone, but waits for those before it: so this is for what reads by a key, and never long.
 */
export function sendTogether(pool: pg.Pool, pipeline: PipelinedQueries): void {
  const others = waiting.get(pool)
  if (others) {
    if (others.push(pipeline) === MAX_PIPELINES_PER_CONNECTION) waiting.delete(pool)
    return
  }
  const pipelines = [pipeline]
  waiting.set(pool, pipelines)
  // By then all requests that have come in are there.
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
    const last = pipelines.at(-1)
    let left = pipelines.length
    let isBroken = false
    inOnePacket(client)
    for (const pipeline of pipelines) {
      pipeline.onEnd = (error) => {
        // What the database itself refused leaves the connection as good as it was.
        if (error && !(error instanceof pg.DatabaseError)) isBroken = true
        left -= 1
        if (left > 0) return
        // What failed did not come to its COMMIT. Whoever has the connection next waits behind this.
        if (error && !isBroken && last?.isOpened)
          client.query('ROLLBACK', (failure) => release(failure ?? false))
        else release(isBroken)
      }
      client.query(pipeline)
    }
  })
}

/**
 * Each customer's transaction ends by a COMMIT under the next flight's Sync, or under its own where it is the last one:
 * it has no answer of its own to wait for, and makes a ROLLBACK of what has failed, so that the next one begins anew.
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
 * Sends one statement of a transaction. One that has a name, or is to be prepared, is a flight: it takes back a name
 * that was left by a transaction which failed before. A pooler would not know that nothing was prepared under it.
 */
export function sendOne(
  client: pg.PoolClient,
  { values: configValues = [], name, ...statement }: pg.QueryConfig,
  {
    values = configValues,
    isPrepared = name !== undefined,
  }: { values?: unknown[]; isPrepared?: boolean } = {},
): Promise<unknown> {
  inOnePacket(client)
  if (!isPrepared) return client.query(statement, values)
  const pipeline = new PipelinedQueries()
  const answer = pipeline.add(statement, values)
  client.query(pipeline)
  return answer
}

/** What is sent before the process looks at its sockets again leaves together, and not statement by statement. */
export function inOnePacket(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}
