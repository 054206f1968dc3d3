import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { measuredTransaction } from '#lib/measured.ts'
import type { Transaction } from '../client.ts'
import { withoutValues } from '../failure.ts'
import { withRowPlans } from '../rows.ts'
import { ENTER } from '../transaction.ts'
import { Flight } from './flight.ts'
import type { Statement } from './prepared.ts'

/**
 * Reads what `fn` reads by statements that it sends all at once, none of which waits for another one's rows: they are one
 * transaction without a BEGIN and a COMMIT, and one round trip. The pool's settings make it read-only and of one moment.
 * @param send over which connection
 * @throws Error where a statement comes later: it would be outside of the transaction
 */
export async function transactionAtOnce<T>(
  from: pg.Pool,
  customerId: string,
  fn: (tx: Transaction) => Promise<T>,
  send: (pool: pg.Pool, flight: Flight) => void,
): Promise<T> {
  const told = measuredTransaction('at once')
  const flight = new Flight()
  flight.add(ENTER, [customerId]).catch(() => {})
  // By then all that `fn` sends at once is there.
  process.nextTick(() => send(from, flight))
  const query = (statement: Statement, values?: unknown[]) => flight.add(statement, values)
  try {
    const value = await fn(withRowPlans(drizzle({ query } as unknown as pg.PoolClient)))
    told?.end('done', flight.statements.length - 1)
    return value
  } catch (error) {
    told?.end('thrown', flight.statements.length - 1)
    throw withoutValues(error)
  }
}
