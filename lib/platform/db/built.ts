import { type SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type { Transaction } from './client.ts'
import { nameOf } from './flights/prepared.ts'

type Session = { client: unknown; logger: unknown; prepareQuery(...given: unknown[]): object }
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
    const own = Object.assign(Object.create(first), { client, logger }) as Sendable<Rows>
    return own.execute(values)
  }
}

/** A statement in SQL, for `builtOnce`. */
export function written(tx: Transaction, statement: SQL) {
  return {
    prepare: () =>
      sessionOf(tx).prepareQuery(new PgDialect().sqlToQuery(statement), undefined, undefined, false),
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
