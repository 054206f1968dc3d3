import { Column, DrizzleQueryError, is, SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type pg from 'pg'
import type { Transaction } from './client.ts'
import { nameOf } from './pipeline.ts'

type Session = { client: unknown; logger: unknown; prepareQuery(...args: unknown[]): object }
type Prepared = { queryConfig: { text: string; name?: string }; rawQueryConfig: { name?: string } }
type Sendable<Rows> = { execute(values: Values): Promise<Rows> }

/** The values of one call, by the names that `value` gave them. */
export type Values = Record<string, unknown>

/** Stands in a statement for a value that comes with each call. */
export function value<T>(name: string): T {
  return sql.placeholder(name) as T
}

/**
 * A statement that is written once for a process, and sent with other values each time: to write one takes drizzle
 * longer than to read its rows. It has a name, so that PostgreSQL reads and plans it once for a connection. `build` must
 * give the same statement whatever the values are.
 */
export function builtOnce<Rows>(build: (tx: Transaction) => { prepare(name: string): unknown }) {
  let first: object | undefined
  return (tx: Transaction, values: Values): Promise<Rows> => {
    first ??= withName(build(tx).prepare('') as Prepared)
    // The same, on the connection of this transaction.
    const { client, logger } = sessionOf(tx)
    const query = Object.assign(Object.create(first), { client, logger }) as Sendable<Rows>
    return query.execute(values)
  }
}

/** A statement in SQL, for `builtOnce`. */
export function written(tx: Transaction, query: SQL) {
  return {
    prepare: () => sessionOf(tx).prepareQuery(new PgDialect().sqlToQuery(query), undefined, undefined, false),
  }
}

function withName(prepared: Prepared): Prepared {
  const name = nameOf(prepared.queryConfig.text)
  if (name !== undefined)
    for (const config of [prepared.queryConfig, prepared.rawQueryConfig]) config.name = name
  return prepared
}

function sessionOf(tx: Transaction): Session {
  return (tx as unknown as { session: Session }).session
}

type Decoder = { mapFromDriverValue(value: unknown): unknown }
type Field = { path: string[]; field: unknown }

/** What drizzle makes of a statement before it sends it. */
type DecodedQuery = {
  fields?: readonly Field[]
  /** Of each joined table, whether its part of a row is always there. */
  joinsNotNullableMap?: Record<string, boolean>
  customResultMapper?: unknown
}
type DecodingSession = { prepareQuery(...args: unknown[]): DecodedQuery }

/**
 * Makes rows of what this transaction reads by a plan that is made once for a statement. Drizzle itself finds out
 * anew for each value what kind of column it is of, which took longer than all the rest of a list together. The rows
 * are the same. A statement whose joins may find nothing is left to drizzle.
 */
export function withRowPlans(tx: Transaction): Transaction {
  const { session } = tx as unknown as { session: DecodingSession }
  const prepare = session.prepareQuery.bind(session)
  session.prepareQuery = (...args) => {
    const prepared = prepare(...args)
    if (prepared.fields && !prepared.customResultMapper) addPlan(prepared, prepared.fields)
    return prepared
  }
  return tx
}

function addPlan(prepared: DecodedQuery, fields: readonly Field[]): void {
  let cells: (Cell | undefined)[] | undefined
  Object.defineProperty(prepared, 'customResultMapper', {
    // Asked when the statement is sent: only then drizzle has said which joins there are.
    get() {
      const isWhole = Object.values(prepared.joinsNotNullableMap ?? {}).every(Boolean)
      cells ??= isWhole ? fields.map(cellOf) : []
      if (cells.length === 0 || cells.includes(undefined)) return undefined
      return (rows: unknown[][]) => rows.map((row) => rowOf(cells as Cell[], row))
    },
  })
}

/** Where a value goes, and how it is read; as it came where there is no decoder. */
type Cell = { group: string | undefined; name: string; decoder: Decoder | undefined }

function cellOf({ path, field }: Field): Cell | undefined {
  const [first, second, ...deeper] = path
  const valueDecoder = decoderOf(field)
  if (first === undefined || !valueDecoder || deeper.length > 0) return undefined
  const decoder = isPlain(valueDecoder) ? undefined : valueDecoder
  return second === undefined
    ? { group: undefined, name: first, decoder }
    : { group: first, name: second, decoder }
}

function decoderOf(field: unknown): Decoder | undefined {
  if (is(field, Column)) return field
  if (is(field, SQL)) return (field as unknown as { decoder: Decoder }).decoder
  if (is(field, SQL.Aliased)) return (field.sql as unknown as { decoder: Decoder }).decoder
  return undefined
}

const plain = Column.prototype.mapFromDriverValue
const { decoder: untouched } = new SQL([]) as unknown as { decoder: Decoder }

function isPlain(decoder: Decoder): boolean {
  return decoder === untouched || decoder.mapFromDriverValue === plain
}

function rowOf(cells: readonly Cell[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let at = 0; at < cells.length; at++) {
    const { group, name, decoder } = cells[at] as Cell
    const raw = values[at]
    const value = raw === null || !decoder ? raw : decoder.mapFromDriverValue(raw)
    if (group === undefined) row[name] = value
    else {
      row[group] ??= {}
      ;(row[group] as Record<string, unknown>)[name] = value
    }
  }
  return row
}

type DeferredConfig = pg.QueryConfig
/** A statement, or what makes some when the end has come: of all that was to be said by then. */
type DeferredQuery = DeferredConfig | (() => DeferredConfig[])

/** What a transaction sends right before its COMMIT, in the order in which it was left. */
const left = new WeakMap<Transaction, DeferredQuery[]>()

/**
 * Leaves statements to the very end of a transaction. They travel in one packet with its COMMIT, so that what they lock
 * is locked after everything else, and for no round trip. Nothing is sent where the transaction is rolled back.
 */
export function deferToCommit(tx: Transaction, ...deferred: DeferredQuery[]): void {
  const before = left.get(tx)
  if (before) before.push(...deferred)
  else left.set(tx, deferred)
}

/** Takes what was left so far: whoever takes it sends it. */
export function drainDeferred(tx: Transaction): DeferredConfig[] {
  const deferred = left.get(tx) ?? []
  left.delete(tx)
  return deferred.flatMap((query) => (typeof query === 'function' ? query() : [query]))
}

/**
 * Sends them and the COMMIT at once.
 * @throws Error where one of them fails, with its reason: PostgreSQL has made a ROLLBACK of the COMMIT then
 */
export async function commitWithDeferred(
  deferred: readonly DeferredConfig[],
  send: (query: DeferredConfig) => Promise<unknown>,
  commit: () => Promise<void>,
): Promise<void> {
  const sent = deferred.map((query) =>
    send(query).catch((error: Error) => {
      throw withoutValues(new DrizzleQueryError(query.text, query.values ?? [], error))
    }),
  )
  const [ended] = await Promise.allSettled([commit(), ...sent])
  await Promise.all(sent)
  if (ended?.status === 'rejected') throw ended.reason
}

const MESSAGE = 'The database did not carry out a statement.'

/**
 * Takes the statement and its values out of the error that it failed with, and gives the same error back: drizzle's
 * message is all of both, and whoever prints errors (Next does so by itself) would show it. The cause says what
 * happened, without the rows and statements that PostgreSQL tells of. The text of the statement, without its values,
 * stays as `statement`, which only our log looks for.
 */
export function withoutValues(error: unknown): unknown {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if (at instanceof DrizzleQueryError && !('statement' in at)) strip(at)
  return error
}

function strip(error: DrizzleQueryError): void {
  Object.defineProperty(error, 'statement', { value: error.query, enumerable: false })
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []
  error.message = MESSAGE
  error.stack = [`${error.name}: ${MESSAGE}`, ...frames].join('\n')
  for (const name of ['query', 'params']) Reflect.deleteProperty(error, name)
  for (const name of ['detail', 'where', 'internalQuery']) Reflect.deleteProperty(error.cause ?? {}, name)
}
