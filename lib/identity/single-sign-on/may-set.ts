import 'server-only'
import { type Locks, requireFresh, requirePerson, scopeOfAuthority } from '#lib/identity/access/authority.ts'
import { accessOf } from '#lib/identity/members/access.ts'
import { checkPermission } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope } from '#lib/platform/db/scope.ts'

const WHAT = 'Changing how people sign in'

/**
 * Changes identity providers or directories, by which members sign in with any access of the customer. So the caller
 * must be an Admin with all access.
 * @param run change, called with the caller's current state
 * @param how see `scopeOfAuthority`
 * @throws Problem `permission_denied` for a key, and for an Admin who is limited to some billing profiles; as
 * `scopeOfAuthority` does
 */
export async function changeSignInMethods<T>(
  caller: Caller,
  run: (tx: Transaction, now: Caller) => Promise<T>,
  how?: Locks,
): Promise<T> {
  requirePerson(caller, WHAT)
  const work = async (tx: Transaction, now: Caller) => {
    checkPermission(now, 'members-manager')
    await checkWhole(tx, now)
    return run(tx, now)
  }
  return scopeOfAuthority(caller, work, how)
}

/**
 * Checks the permission like `changeSignInMethods`, before an action outside of a transaction.
 * @throws Problem as `changeSignInMethods` does
 */
export async function checkFresh(caller: Caller): Promise<void> {
  requirePerson(caller, WHAT)
  requireFresh(caller)
  await readScope(caller, (tx) => checkWhole(tx, caller))
}

async function checkWhole(tx: Transaction, caller: Caller): Promise<void> {
  if ((await accessOf(tx, caller)).billingProfiles === null) return
  throw new Problem(
    'permission_denied',
    'You see some billing profiles only. An Admin who sees all of them changes how people get in.',
  )
}
