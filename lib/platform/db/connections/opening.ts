import type { Flight } from '../flights/flight.ts'
import type { Login } from '../logins.ts'
import { checkLogin } from './check.ts'
import { limitsOf } from './limits.ts'

/** A `late write` is one that a closed customer still sees. */
export type Kind = 'read' | 'write' | 'late write' | 'stream'

/** An invoice and its lines are of one moment, also while an import replaces them. */
const READ = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

/** What ends a transaction of which nothing is to be kept, or of which all was told. */
export const COMMIT = { text: 'COMMIT', hasNoRows: true }

/**
 * Begins a customer's transaction, for what is added to the flight after it: whose rows it sees, for how long it waits
 * and works, as whom. All of it by SET LOCAL, so that it ends with the transaction, on whichever connection a pooler has
 * for it, and reaches each server of a distributed database.
 * @returns resolves when all that has been carried out
 * @throws Error where the connection is another login's; CC001 where a `write` is of a closed customer
 */
export function open(flight: Flight, login: Login, customerId: string, kind: Kind): Promise<void> {
  const { lock, statement } = limitsOf(login)
  flight.isOpened = true
  const texts = [`SET LOCAL lock_timeout = ${lock}`, `SET LOCAL statement_timeout = ${statement}`]
  const say = (text: string, isUnnamed = false) =>
    flight.add({ text, hasNoRows: true, isUnnamed }).catch(() => {})
  // Not by a name, which a server could have forgotten: what comes behind would be outside of any transaction.
  say(kind === 'read' || kind === 'stream' ? READ : 'BEGIN', true)
  for (const text of texts) say(text)
  say(seeing(customerId), true)
  // The function is of the migration `closed-customers`: it refuses where the customer is closed.
  const entered =
    kind === 'write'
      ? flight.add({ text: 'SELECT current_user AS login, enter_to_write($1)' }, [customerId])
      : flight.add({ text: 'SELECT current_user AS login' })
  return entered.then(({ rows }) => checkLogin(login, (rows[0] as { login: string }).login))
}

/** As `lib/imports/focus/platforms.ts` makes them, and the empty one, which is nobody's. */
const CUSTOMER = /^[a-z0-9-]{0,100}$/

/**
 * The statement by which the transaction sees this customer's rows from now on, and no others. It takes no values: what
 * is no id of a customer does not come into it.
 * @throws Error where it is none
 */
export function seeing(customerId: string): string {
  if (!CUSTOMER.test(customerId)) throw new Error('This is no id of a customer.')
  return `SET LOCAL console.customer = '${customerId}'`
}
