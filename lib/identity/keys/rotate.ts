import 'server-only'
import { holdingOf } from '#lib/identity/members/holding.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { countOwnRotations } from './chains/chain.ts'
import type { KeyRow } from './rows.ts'
import { decideRotation, limitsFor, OVERLAP_HOURS, type Overlap, OWN_ROTATIONS } from './rules.ts'
import { keySettings } from './settings.ts'
import { replaceKey } from './store.ts'

type Rotation = { secret: string; overlap: Overlap; requestId: string }

/**
 * Keeps a key that follows another one, which the transaction has locked, with its row of the history.
 * @returns the new one's id
 * @throws Problem `rate_limited` for a key that rotates itself too often, `permission_denied` for what is another's, `key_ended` for what has ended or is followed already
 */
export async function rotate(
  tx: Transaction,
  caller: Caller,
  former: KeyRow,
  { secret, overlap, requestId }: Rotation,
): Promise<string> {
  await checkRotation(tx, caller, former)
  if (caller.via === 'key') await checkOwnRotations(tx, caller, former)
  const { customerId, via } = caller
  const { mostDays, withoutEnd } = limitsFor(caller, keySettings())
  const how = { hours: OVERLAP_HOURS[overlap], mostDays, withoutEnd, byPerson: via !== 'key' }
  const id = await replaceKey(tx, customerId, former.id, secret, how)
  const details = { name: former.name, overlap, newKey: id }
  const event = { action: 'key.rotated', subject: former.id, actor: actorOf(caller), requestId, details }
  await recordAudit(tx, customerId, event)
  return id
}

/** Whoever has found a key could make as many of it as they like. */
async function checkOwnRotations(tx: Transaction, { customerId }: Caller, { id }: KeyRow): Promise<void> {
  if ((await countOwnRotations(tx, customerId, id, OWN_ROTATIONS)) < OWN_ROTATIONS) return
  const detail = `A key rotates itself ${OWN_ROTATIONS} times an hour at most. Wait, or have a person rotate it.`
  throw new Problem('rate_limited', detail, { headers: { 'Retry-After': '3600' } })
}

async function checkRotation(tx: Transaction, caller: Caller, former: KeyRow): Promise<void> {
  const decision = decideRotation(caller, former)
  if (!decision.allowed) {
    if (decision.because === 'not-own')
      throw new Problem('permission_denied', 'Whoever rotates a key gets it: this one is another member’s.')
    const detail = former.replacedBy
      ? 'This key was rotated before.'
      : 'This key has ended. Issue another one instead.'
    throw new Problem('key_ended', detail)
  }
  if (caller.via !== 'session' || former.owner !== 'CUSTOMER') return
  const { billingProfiles: mine } = await holdingOf(tx, caller)
  if (mine !== null && !former.billingProfiles?.every((id) => mine.includes(id)))
    throw new Problem('permission_denied', 'This key has billing profiles that you do not have.')
}
