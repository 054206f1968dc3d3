import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { measuredTransaction, noteStatement } from '#lib/platform/runtime/log.ts'
import type { Transaction } from '../client.ts'
import { open } from '../connections/opening.ts'
import { withoutValues } from '../failure.ts'
import type { Login } from '../logins.ts'
import { withRowPlans } from '../rows.ts'
import { Flight } from './flight.ts'
import type { Statement } from './prepared.ts'

/**
 * Reads what `fn` reads by statements that it sends all at once, none of which waits for another one's rows: with the
 * BEGIN before them and the COMMIT behind they are one round trip, and one answer.
 * @param send over which connection
 * @throws Error where a statement comes later: it would be outside of the transaction
 */
export async function transactionAtOnce<T>(
  from: pg.Pool,
  customerId: string,
  fn: (tx: Transaction) => Promise<T>,
  send: (pool: pg.Pool, flight: Flight) => void,
): Promise<T> {
  const flight = new Flight()
  const opened = open(flight, from.options.user as Login, customerId, 'read')
  opened.catch(() => {})
  const told = measuredTransaction('at once')
  // By then all that `fn` sends at once is there.
  process.nextTick(() => send(from, flight))
  let statements = 0
  const query = (statement: Statement, values?: unknown[]) => {
    statements += 1
    noteStatement()
    return flight.add(statement, values)
  }
  try {
    const value = await fn(withRowPlans(drizzle({ query } as unknown as pg.PoolClient)))
    await opened
    told?.end('done', statements)
    return value
  } catch (error) {
    told?.end('thrown', statements)
    throw withoutValues(error)
  }
}
