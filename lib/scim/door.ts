import 'server-only'
import type { Caller } from '#lib/access/rules.ts'
import { Problem } from '#lib/api/problem.ts'
import { readScope, scope } from '#lib/db/scope.ts'

/** What a directory reads. The door lets no other caller in; whoever comes by another way is nobody here. */
export function read<T>(caller: Caller, fn: Parameters<typeof readScope<T>>[1]): Promise<T> {
  return readScope(proven(caller), fn)
}

/** What a directory changes, in one transaction. @param how see `scope`: a leaver is taken away though the customer is closed */
export function write<T>(
  caller: Caller,
  fn: Parameters<typeof scope<T>>[1],
  how?: { evenIfClosed: boolean },
): Promise<T> {
  return scope(proven(caller), fn, how)
}

function proven(caller: Caller): Caller {
  if (caller.via !== 'scim') throw new Problem('unauthenticated')
  return caller
}
