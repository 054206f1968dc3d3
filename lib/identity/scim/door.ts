import 'server-only'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { lockToken, tokenWorks } from './store/tokens.ts'

/** What a directory reads. The door lets no other caller in; whoever comes by another way is nobody here. */
export function read<T>(caller: Caller, fn: Parameters<typeof readScope<T>>[1]): Promise<T> {
  return readScope(proven(caller), fn)
}

/**
 * What a directory changes, in one transaction. Its token has to open this, and still does when all is written: whoever revokes
 * it comes before that, and nothing is changed, or after it. The token is locked for that moment alone, and after members, so that
 * nobody who revokes it waits for a long write.
 * @throws Problem `unauthenticated` where the token has ended since the request began
 * @param how see `scope`: a leaver is taken away though the customer is closed
 */
export function write<T>(
  caller: Caller,
  fn: Parameters<typeof scope<T>>[1],
  how?: { evenIfClosed: boolean },
): Promise<T> {
  const { customerId, id } = proven(caller)
  const work = async (tx: Transaction) => {
    if (!(await tokenWorks(tx, customerId, id))) throw ended()
    const done = await fn(tx)
    if (!(await lockToken(tx, customerId, id))) throw ended()
    return done
  }
  return scope(caller, work, how)
}

function ended(): Problem {
  const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' }
  return new Problem('unauthenticated', 'The token of this request has ended meanwhile.', { headers })
}

function proven(caller: Caller): Caller {
  if (caller.via !== 'scim') throw new Problem('unauthenticated')
  return caller
}
