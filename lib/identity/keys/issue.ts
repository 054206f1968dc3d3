import 'server-only'
import { holdingOf } from '#lib/identity/members/holding.ts'
import { type InputError, Problem } from '#lib/platform/api/problem.ts'
import { canonicalRange } from '#lib/platform/caller/limits/ranges.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { daysOf, decideIssue, limitsFor, type Owner, type Wanted } from './rules.ts'
import { keySettings } from './settings.ts'
import { addKey, type NewKey } from './store.ts'

type Given = Wanted & { name: string; addresses?: string[] | undefined }

/**
 * Keeps a key that a signed-in member issues, or the operator, with its row of the history.
 * @param caller as they are at this moment: a request takes a while, and a role may have been taken away meanwhile
 * @returns its id
 * @throws Problem `permission_denied` for more than the member has now, `invalid_request` for a wrong end or network
 */
export async function issue(
  tx: Transaction,
  caller: Caller,
  given: Given,
  secret: string,
  requestId: string,
): Promise<string> {
  const { customerId } = caller
  const issuedBy = caller.via === 'session' ? caller.id : null
  checkIssue(caller, given)
  const { name, roles, owner } = given
  const addresses = rangesOf(given.addresses)
  const billingProfiles = given.billingProfiles ?? (await profilesOf(tx, caller, owner))
  const days = daysOf(given, keySettings())
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

/** What the history says of a new key. */
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
 * The one form of each network; null for anywhere.
 * @throws Problem `invalid_request`, which names those that are none
 */
function rangesOf(given: readonly string[] | undefined): string[] | null {
  if (given === undefined) return null
  const ranges = given.map(canonicalRange)
  const detail = 'is neither an address nor a network, such as 192.0.2.0/24 or 2001:db8::/32'
  const errors = ranges.flatMap((range, at): InputError[] =>
    range === undefined ? [{ pointer: `/addresses/${at}`, detail }] : [],
  )
  if (errors.length > 0) throw new Problem('invalid_request', `A network ${detail}.`, { errors })
  return [...new Set(ranges as string[])]
}

function checkIssue(caller: Caller, wanted: Wanted): void {
  const decision = decideIssue(caller, wanted, limitsFor(caller, keySettings()))
  if (decision.allowed) return
  const { because, field, reason } = decision
  const code = because === 'too-much' ? 'permission_denied' : 'invalid_request'
  const subject = because === 'too-much' ? 'The key' : field
  throw new Problem(code, `${subject} ${reason}.`, { errors: [{ pointer: `/${field}`, detail: reason }] })
}

/** A key of the customer's is not cut to what its issuer may see later on: it is made with what they may see now. */
async function profilesOf(tx: Transaction, caller: Caller, owner: Owner): Promise<readonly string[] | null> {
  return owner === 'CUSTOMER' ? (await holdingOf(tx, caller)).billingProfiles : null
}
