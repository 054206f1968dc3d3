import { randomBytes } from 'node:crypto'
import { Column, DrizzleQueryError, is, SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type pg from 'pg'
import type { Transaction } from './client.ts'
import { nameOf } from './pipeline.ts'

type Session = { client: unknown; logger: unknown; prepareQuery(...args: unknown[]): object }
type Prepared = { queryConfig: { text: string; name?: string }; rawQueryConfig: { name?: string } }
type Sendable<Rows> = { execute(values: Values): Promise<Rows> }

/** Values of one call, by the names passed to `value`. */
export type Values = Record<string, unknown>

/** Returns the placeholder of a value that is passed with each call. */
export function value<T>(name: string): T {
  return sql.placeholder(name) as T
}

/**
 * Returns a statement that is built once per process, and sent with other values each time: building takes drizzle
 * longer than reading the rows. The statement is named, so that PostgreSQL parses and plans it once per connection.
 * `build` must return the same statement for all values.
 */
export function builtOnce<Rows>(build: (tx: Transaction) => { prepare(name: string): unknown }) {
  let first: object | undefined
  return (tx: Transaction, values: Values): Promise<Rows> => {
    first ??= withName(build(tx).prepare('') as Prepared)
    // A copy of the prepared query, bound to this transaction's connection.
    const { client, logger } = sessionOf(tx)
    const query = Object.assign(Object.create(first), { client, logger }) as Sendable<Rows>
    return query.execute(values)
  }
}

/** Wraps a statement in SQL for `builtOnce`. */
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

/** Drizzle's prepared query, before it is sent. */
type DecodedQuery = {
  fields?: readonly Field[]
  /** Whether each joined table always contributes its part of a row. */
  joinsNotNullableMap?: Record<string, boolean>
  customResultMapper?: unknown
}
type DecodingSession = { prepareQuery(...args: unknown[]): DecodedQuery }

/**
 * Maps the transaction's rows by a plan that is made once per statement. Drizzle looks up the column type of each value
 * again, which took longer than the rest of a list's work. The rows are the same. Statements with outer joins are left
 * to drizzle.
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
    // Read when the statement is sent: drizzle sets the joins just before.
    get() {
      const isWhole = Object.values(prepared.joinsNotNullableMap ?? {}).every(Boolean)
      cells ??= isWhole ? fields.map(cellOf) : []
      if (cells.length === 0 || cells.includes(undefined)) return undefined
      return (rows: unknown[][]) => rows.map((row) => rowOf(cells as Cell[], row))
    },
  })
}

/** Target of a value and its decoder; without a decoder, the value stays as it came. */
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
/** Statement, or function that returns statements at the end of the transaction, when all their data is known. */
type DeferredQuery = DeferredConfig | (() => DeferredConfig[])

/** Statements that a transaction sends right before its COMMIT, in the order in which they were deferred. */
const left = new WeakMap<Transaction, DeferredQuery[]>()

/**
 * Defers statements to the end of a transaction. They are sent in one packet with its COMMIT, so that their locks are
 * taken after all others and held for no round trip. A rolled-back transaction does not send them.
 */
export function deferToCommit(tx: Transaction, ...deferred: DeferredQuery[]): void {
  const before = left.get(tx)
  if (before) before.push(...deferred)
  else left.set(tx, deferred)
}

/** Returns and clears a transaction's deferred statements; the caller has to send them. */
export function drainDeferred(tx: Transaction): DeferredConfig[] {
  const deferred = left.get(tx) ?? []
  left.delete(tx)
  return deferred.flatMap((query) => (typeof query === 'function' ? query() : [query]))
}

/**
 * Sends the deferred statements and the COMMIT in one packet.
 * @throws Error with the reason if a statement fails: PostgreSQL has then turned the COMMIT into a ROLLBACK
 */
export async function commitWithDeferred(
  deferred: readonly DeferredConfig[],
  send: (query: DeferredConfig) => Promise<unknown>,
  commit: () => Promise<void>,
): Promise<void> {
  const sent = deferred.map((query) =>
    send(query).catch((error: Error & { code?: string }) => {
      // Refused because an earlier statement had failed: the COMMIT says so.
      if (error.code !== TRANSACTION_FAILED)
        throw withoutValues(new DrizzleQueryError(query.text, query.values ?? [], error))
    }),
  )
  const [ended] = await Promise.allSettled([commit(), ...sent])
  await Promise.all(sent)
  if (ended?.status === 'rejected') throw ended.reason
}

/** SQLSTATE of a statement in a transaction that has failed already. */
export const TRANSACTION_FAILED = '25P02'

const MESSAGE = 'The database did not carry out a statement.'

/**
 * Removes the statement and its values from the error of a failed query, and returns the same error: drizzle's message
 * consists of both, and any code that prints errors (Next does) would leak them. The cause keeps its message, without
 * the rows and statements that PostgreSQL quotes. The statement's text without values stays as `statement`, for our
 * log.
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

/**
 * SQL expression of the version of the rows of the customer `$1`: text that each transaction which writes rows of the
 * customer replaces. An answer that was computed for a version is right as long as the customer has it. Where only
 * licenses were written last, a blank and the version before those writes follow.
 */
export const VERSION = `coalesce((SELECT v.version || CASE WHEN v.version = v.license_version
    THEN ' ' || v.version_without_licenses ELSE '' END FROM customer_versions v WHERE v.customer_id = $1), '0')
  || '.' || (SELECT count(*) FROM unversioned_writes u WHERE u.customer_id = $1)`

/** Returns the part of a version that license writes don't replace. */
export function withoutLicenses(version: string): string {
  return version.slice(version.indexOf(' ') + 1)
}

/** Properties of the server of a transaction: whether it has Citus, and whether it has a replica that is read from. */
type ServerOf = { isDistributed: boolean; hasReplica: boolean }

const servers = new WeakMap<Transaction, ServerOf>()

/** Remembers the server of a transaction, for the statements at its end. */
export function noteServer(tx: Transaction, server: ServerOf): void {
  servers.set(tx, server)
}

/**
 * Returns the statements with which a writing transaction ends for a customer: they replace the version of its rows if
 * the transaction wrote anything, and note the write for replicas. Their lock on the version is held for the COMMIT
 * only.
 * @param writes all that the transaction writes, as far as cached answers show it; by default anything
 */
export function closing(tx: Transaction, customerId: string, writes?: 'licenses'): pg.QueryConfig[] {
  const values = [customerId, newVersion()]
  const { isDistributed, hasReplica } = servers.get(tx) ?? { isDistributed: false, hasReplica: false }
  const [always, ifWritten] = writes ? LICENSE_WRITES : ALL_WRITES
  const replaced = isDistributed ? always : ifWritten
  return [{ ...replaced, values }, ...(hasReplica ? [NOTE_WRITE] : [])]
}

const VERSION_REPLACED = 'ON CONFLICT (customer_id) DO UPDATE SET version = excluded.version'
// With Citus, the nodes' transactions have ids, and the coordinator's has none: there each transaction replaces the version.
const ALL_WRITES = [
  {
    name: 'replace-version',
    text: `INSERT INTO customer_versions (customer_id, version) VALUES ($1, $2::bigint) ${VERSION_REPLACED}`,
  },
  {
    name: 'replace-version-if-written',
    text: `INSERT INTO customer_versions (customer_id, version)
      SELECT $1, $2::bigint WHERE pg_current_xact_id_if_assigned() IS NOT NULL ${VERSION_REPLACED}`,
  },
] as const
// Processes of the previous release replace only `version`: then it differs from `license_version`.
const LICENSES_REPLACED = `ON CONFLICT (customer_id) DO UPDATE SET version = excluded.version,
  license_version = excluded.version,
  version_without_licenses = CASE WHEN customer_versions.version = customer_versions.license_version
    THEN customer_versions.version_without_licenses ELSE customer_versions.version END`
const LICENSE_COLUMNS = 'customer_id, version, license_version, version_without_licenses'
const LICENSE_WRITES = [
  {
    name: 'replace-license-version',
    text: `INSERT INTO customer_versions (${LICENSE_COLUMNS}) VALUES ($1, $2::bigint, $2::bigint, 0) ${LICENSES_REPLACED}`,
  },
  {
    name: 'replace-license-version-if-written',
    text: `INSERT INTO customer_versions (${LICENSE_COLUMNS})
      SELECT $1, $2::bigint, $2::bigint, 0 WHERE pg_current_xact_id_if_assigned() IS NOT NULL ${LICENSES_REPLACED}`,
  },
] as const

/**
 * Records in `recent_writes` that this transaction has written rows of its customer, if it has. Sent as its last
 * statement, so that later reads of the customer's callers, in any process, avoid a replica that lacks them.
 */
const NOTE_WRITE = {
  name: 'note-write',
  text: `INSERT INTO recent_writes (customer_id, transaction)
    SELECT customer, id FROM pg_current_xact_id_if_assigned() id, current_setting('console.customer') customer
    WHERE id IS NOT NULL AND customer <> '' ON CONFLICT DO NOTHING`,
}

/** Returns the owner's statement that replaces the version of a customer, unless the customer was removed. */
export function replaceVersionOfRemaining(customerId: string): pg.QueryConfig {
  const text = `INSERT INTO customer_versions (customer_id, version)
    SELECT id, $2::bigint FROM customers WHERE id = $1 ${VERSION_REPLACED}`
  return { text, values: [customerId, newVersion()] }
}

function newVersion(): string {
  return randomBytes(8).readBigInt64BE().toString()
}
