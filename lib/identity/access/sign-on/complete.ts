import 'server-only'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { session } from '#lib/platform/caller/session.ts'
import { STRANGER } from '#lib/platform/history/audit.ts'
import { recordRefusal } from '#lib/platform/history/requests.ts'
import { log, reasonOf, visit } from '#lib/platform/runtime/log.ts'
import { findPersonOf } from '../people/look-up.ts'
import { issuerProofOf } from '../people/proofs.ts'
import { proceed, type SignedIn, type Visitor } from '../sign-in.ts'
import { bindMember } from './bind.ts'
import { type Begun, begunIdOf, exchange, type Proven, takeBegun } from './code-flow.ts'
import { findProvider, hasDomain, type Provider } from './look-up.ts'
import { type Claims, domainOf, isSignedInSince, isVerified } from './rules.ts'

/** Why nobody was signed in, as the sign-in page tells it. */
export type Fault = 'again' | 'refused' | 'unavailable' | 'mail' | 'no-member' | 'closed' | 'other-account'

/** What became of a way back from an issuer. */
export type Completed =
  | { kind: 'done'; outcome: Exclude<SignedIn, { kind: 'refused' | 'throttled' }>; returnTo: string }
  | { kind: 'fault'; fault: Fault }

const fault = (of: Fault): Completed => ({ kind: 'fault', fault: of })

/**
 * Ends a sign-in by an issuer: whoever comes back with what this browser was sent away with is bound to a member of the
 * provider's customer, and of no other, and goes on as after any proof.
 * @param providerId of the address that the issuer led back to
 */
export async function completeSignOn(
  providerId: string,
  search: string,
  visitor: Visitor,
): Promise<Completed> {
  const id = begunIdOf(visitor.cookies)
  const begun = id === undefined ? undefined : await takeBegun(id)
  // Another browser, a second time, too late, or an answer in the place of another issuer's.
  if (!id || begun?.providerId !== providerId) return fault('again')
  const provider = await findProvider(providerId)
  if (!provider) return fault('refused')
  const proven = await exchange(provider, { id, begun, search }).catch((error: unknown) => {
    const reason = codeOf(error)
    log().warn(
      { customer: provider.customerId, reason, detail: reasonOf(error).slice(0, 300) },
      'single sign-on failed',
    )
    refuse(provider, provider.id, reason)
    return isAway(error) ? fault('unavailable') : fault('refused')
  })
  return 'kind' in proven ? proven : enter(provider, proven, begun, visitor)
}

async function enter(
  provider: Provider,
  { subject, claims, idToken }: Proven,
  { freshMember, since, returnTo }: Begun,
  visitor: Visitor,
): Promise<Completed> {
  const email = await addressIn(provider, claims)
  if (typeof email !== 'string') return email
  if (freshMember !== null && !isSignedInSince(claims, since))
    return refuse(provider, freshMember, 'the sign-in at the issuer is not fresh')
  const bound = await bindMember(provider, { subject, email, claims })
  if (bound.refused !== undefined) {
    const told = bound.refused === 'no-member' || bound.refused === 'closed' ? bound.refused : 'refused'
    return refuse(provider, bound.memberId ?? provider.id, bound.refused, told)
  }
  const { memberId } = bound
  if (freshMember !== null && !(await isOf(memberId, freshMember, visitor))) return fault('other-account')
  const person = await findPersonOf(provider.customerId, memberId)
  const proof = issuerProofOf(provider.id, subject)
  const issued = { providerId: provider.id, idToken }
  const outcome = person && (await proceed(person, { proof, proven: ['issuer'], issued }, visitor))
  if (outcome?.kind !== 'signed-in' && outcome?.kind !== 'pending') return fault('refused')
  return { kind: 'done', outcome, returnTo }
}

/** The address that the issuer vouches for, of a domain that is proven to be the provider's; else why it counts for nothing. */
async function addressIn(provider: Provider, claims: Claims): Promise<string | Completed> {
  const email = z.email().max(254).safeParse(claims.email).data
  const domain = email && domainOf(email)
  if (!email || !domain || !isVerified(claims, provider.verifiedClaim))
    return refuse(provider, provider.id, 'the address is not verified', 'mail')
  if (!(await hasDomain(provider, domain)))
    return refuse(provider, provider.id, 'the address is of another domain', 'mail')
  return email
}

/** Whether it is the member of the session that began it who has proven who they are. */
async function isOf(memberId: string, freshMember: string, { cookies }: Visitor): Promise<boolean> {
  const caller = await session({ get: (name) => (name === 'cookie' ? cookies : null) })
  return memberId === freshMember && caller?.id === freshMember
}

/** Records that somebody was not let in; `subject`: the member whose address it was, else the provider. */
function refuse(
  { customerId, issuer }: Provider,
  subject: string,
  reason: string,
  of: Fault = 'refused',
): Completed {
  const requestId = visit()?.requestId ?? randomUUID()
  const event = {
    action: 'sign-on.refused',
    subject,
    actor: STRANGER,
    requestId,
    details: { issuer, reason },
  }
  void recordRefusal(customerId, event)
  return fault(of)
}

/** What openid-client calls it; the issuer's own texts may be anything. */
function codeOf(error: unknown): string {
  const { code, error: said } = (error ?? {}) as { code?: unknown; error?: unknown }
  const text = typeof said === 'string' ? said : typeof code === 'string' ? code : 'no answer'
  return text.slice(0, 100).replaceAll(/[^\w .-]/g, '?')
}

/** Whether the issuer gave no answer at all, or one of its own failures. */
function isAway(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code = '', status = 0 } = at as { code?: string; status?: number }
    if (/^(ECONN|ENOTFOUND|ETIMEDOUT|EAI_|EHOST|OAUTH_TIMEOUT)/.test(code) || status >= 500) return true
    if (at.name === 'TimeoutError') return true
  }
  return false
}
