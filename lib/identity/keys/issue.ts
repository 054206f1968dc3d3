import 'server-only'
import { accessOf, checkSeesAll } from '#lib/identity/members/access.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { InputError } from '#lib/platform/api/problem-base.ts'
import { canonicalRange } from '#lib/platform/caller/limits/addresses.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { keySettings } from '../settings.ts'
import { countSelfRotations } from './chains.ts'
import {
  daysOf,
  decideIssue,
  decideRotation,
  type KeyRequest,
  limitsFor,
  MAX_SELF_ROTATIONS,
  OVERLAP_HOURS,
  type Overlap,
  type Owner,
} from './rules.ts'
import { addKey, type KeyRow, type NewKey, replaceKey } from './store.ts'

type IssueInput = KeyRequest & { name: string; addresses?: string[] | undefined }

/**
 * Stores a key that a signed-in member or the operator issues, with its audit event.
 * @param secret the key, which its maker sees in the answer only: its digest is stored, from which no one can read it back
 * @param caller the caller's current state: a role may have been removed since the request began
 * @returns its id
 * @throws Problem `permission_denied` for more access than the member has now, `invalid_request` for a wrong expiry or
 * network
 */
export async function issue(
  tx: Transaction,
  caller: Caller,
  input: IssueInput,
  { secret, requestId }: { secret: string; requestId: string },
): Promise<string> {
  const { customerId } = caller
  const issuedBy = caller.via === 'session' ? caller.id : null
  checkIssue(caller, input)
  const { name, roles, owner } = input
  if (owner === 'CUSTOMER') await checkSeesAll(tx, caller, 'Creating a key of the company')
  const addresses = rangesOf(input.addresses)
  const billingProfiles = input.billingProfiles ?? (await profilesOf(tx, caller, owner))
  const days = daysOf(input, keySettings())
  const hours = days === null ? null : Math.round(days * 24)
  const key: NewKey = { name, roles, billingProfiles, issuedBy, owner, addresses, hours }
  const id = await addKey(tx, customerId, secret, key)
  const details = issuedDetails(key)
  await recordAudit(tx, customerId, {
    action: 'key.issued',
    subject: id,
    actor: actorOf(caller),
    requestId,
    details,
  })
  return id
}

/** Returns the details of the audit event of a new key. */
export function issuedDetails({ name, roles, billingProfiles, owner, addresses, hours }: NewKey) {
  return {
    name,
    roles: [...roles],
    billingProfiles: billingProfiles ? [...billingProfiles] : undefined,
    owner: owner.toLowerCase(),
    addresses: addresses ? [...addresses] : undefined,
    validHours: hours,
  }
}

/**
 * Returns the canonical form of each network; null for anywhere.
 * @throws Problem `invalid_request`, which names the invalid ones
 */
function rangesOf(requestedRanges: readonly string[] | undefined): string[] | null {
  if (requestedRanges === undefined) return null
  const ranges = requestedRanges.map(canonicalRange)
  const detail = 'is neither an address nor a network, such as 192.0.2.0/24 or 2001:db8::/32'
  const errors = ranges.flatMap((range, at): InputError[] =>
    range === undefined ? [{ pointer: `/addresses/${at}`, detail }] : [],
  )
  if (errors.length > 0) throw new Problem('invalid_request', `A network ${detail}.`, { errors })
  return [...new Set(ranges as string[])]
}

function checkIssue(caller: Caller, request: KeyRequest): void {
  const decision = decideIssue(caller, request, limitsFor(caller, keySettings()))
  if (decision.allowed) return
  const { because, field, reason } = decision
  const code = because === 'too-much' ? 'permission_denied' : 'invalid_request'
  const subject = because === 'too-much' ? 'The key' : field
  throw new Problem(code, `${subject} ${reason}.`, { errors: [{ pointer: `/${field}`, detail: reason }] })
}

/**
 * Returns the billing profiles to store: a customer's key gets those that its issuer sees now, and keeps them when the
 * issuer sees fewer later.
 */
async function profilesOf(tx: Transaction, caller: Caller, owner: Owner): Promise<readonly string[] | null> {
  return owner === 'CUSTOMER' ? (await accessOf(tx, caller)).billingProfiles : null
}

type Rotation = { secret: string; overlap: Overlap; requestId: string }

/**
 * Stores the successor of a key that the transaction has locked, with its audit event.
 * @returns the successor's id
 * @throws Problem `rate_limited` for a key that rotates itself too often, `permission_denied` for a key of another
 * member, `key_ended` for a key that has ended or has a successor
 */
export async function rotate(
  tx: Transaction,
  caller: Caller,
  former: KeyRow,
  { secret, overlap, requestId }: Rotation,
): Promise<string> {
  await checkRotation(tx, caller, former)
  if (caller.via === 'key') await checkSelfRotations(tx, caller, former)
  const { customerId, via } = caller
  const { mostDays, withoutEnd } = limitsFor(caller, keySettings())
  const how = { hours: OVERLAP_HOURS[overlap], mostDays, withoutEnd, byPerson: via !== 'key' }
  const id = await replaceKey(tx, customerId, former.id, { apiKey: secret, ...how })
  const details = { name: former.name, overlap, newKey: id }
  const event = { action: 'key.rotated', subject: former.id, actor: actorOf(caller), requestId, details }
  await recordAudit(tx, customerId, event)
  return id
}

/** Limits self-rotation, with which a stolen key could create any number of keys. */
async function checkSelfRotations(tx: Transaction, { customerId }: Caller, { id }: KeyRow): Promise<void> {
  if ((await countSelfRotations(tx, customerId, id, MAX_SELF_ROTATIONS)) < MAX_SELF_ROTATIONS) return
  const detail = `A key rotates itself ${MAX_SELF_ROTATIONS} times an hour at most. Wait, or have a person rotate it.`
  throw new Problem('rate_limited', detail, { headers: { 'Retry-After': '3600' } })
}

async function checkRotation(tx: Transaction, caller: Caller, former: KeyRow): Promise<void> {
  const decision = decideRotation(caller, former)
  if (!decision.allowed) {
    if (decision.because === 'not-own')
      throw new Problem(
        'permission_denied',
        'Only its owner can rotate a key: this one belongs to another member.',
      )
    const detail = former.replacedBy
      ? 'This key was rotated before.'
      : 'This key has ended. Issue another one instead.'
    throw new Problem('key_ended', detail)
  }
  if (caller.via !== 'session' || former.owner !== 'CUSTOMER') return
  await checkSeesAll(tx, caller, 'To rotate a key of the company')
  const { billingProfiles: mine } = await accessOf(tx, caller)
  if (mine !== null && !former.billingProfiles?.every((id) => mine.includes(id)))
    throw new Problem('permission_denied', 'This key has billing profiles that you do not have.')
}
