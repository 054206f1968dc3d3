import 'server-only'
import { requireFreshMember } from '#lib/access/fresh-sign-ins/require-fresh-member.ts'
import type { Caller } from '#lib/access/rules.ts'
import { Problem } from '#lib/api/problem.ts'
import type { Transaction } from '#lib/db/client.ts'
import { readScope, scope } from '#lib/db/scope.ts'
import { holdingOf } from '#lib/members/holding.ts'

/**
 * Changes what others prove themselves by, who come in with all that any member has: identity providers and directories. So
 * it takes an Admin who has that, too.
 * @throws Problem as `requireFreshMember` does, or `permission_denied` for an Admin who is limited to some billing profiles
 */
export async function changeWaysIn<T>(caller: Caller, run: (tx: Transaction) => Promise<T>): Promise<T> {
  requireFreshMember(caller)
  return scope(caller, async (tx) => {
    await checkWhole(tx, caller)
    return run(tx)
  })
}

/** The same, asked ahead of what is done outside of a transaction. @throws Problem as `changeWaysIn` does */
export async function checkFresh(caller: Caller): Promise<void> {
  requireFreshMember(caller)
  await readScope(caller, (tx) => checkWhole(tx, caller))
}

async function checkWhole(tx: Transaction, caller: Caller): Promise<void> {
  if ((await holdingOf(tx, caller)).billingProfiles === null) return
  throw new Problem(
    'permission_denied',
    'You see some billing profiles only. An Admin who sees all of them changes how people get in.',
  )
}
