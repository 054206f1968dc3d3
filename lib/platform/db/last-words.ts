import { DrizzleQueryError } from 'drizzle-orm'
import type pg from 'pg'
import type { Transaction } from './client.ts'
import { withoutValues } from './failure.ts'

type Statement = pg.QueryConfig
/** A statement, or what makes some when the end has come: of all that was to be said by then. */
type Word = Statement | (() => Statement[])

/** What a transaction sends right before its COMMIT, in the order in which it was left. */
const left = new WeakMap<Transaction, Word[]>()

/**
 * Leaves statements to the very end of a transaction. They travel in one packet with its COMMIT, so that what they lock
 * is locked after everything else, and for no round trip. Nothing is sent where the transaction is rolled back.
 */
export function leaveToTheEnd(tx: Transaction, ...words: Word[]): void {
  const before = left.get(tx)
  if (before) before.push(...words)
  else left.set(tx, words)
}

/** Takes what was left so far: whoever takes it sends it. */
export function takeLastWords(tx: Transaction): Statement[] {
  const words = left.get(tx) ?? []
  left.delete(tx)
  return words.flatMap((word) => (typeof word === 'function' ? word() : [word]))
}

/**
 * Sends them and the COMMIT at once.
 * @throws Error where one of them fails, with its reason: PostgreSQL has made a ROLLBACK of the COMMIT then
 */
export async function sayLastWords(
  words: readonly Statement[],
  send: (statement: Statement) => Promise<unknown>,
  commit: () => Promise<void>,
): Promise<void> {
  const sent = words.map((word) =>
    send(word).catch((error: Error) => {
      throw withoutValues(new DrizzleQueryError(word.text, word.values ?? [], error))
    }),
  )
  const [ended] = await Promise.allSettled([commit(), ...sent])
  await Promise.all(sent)
  if (ended?.status === 'rejected') throw ended.reason
}
