import 'server-only'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { session } from '#lib/platform/caller/session.ts'
import { ANONYMOUS } from '#lib/platform/history/audit.ts'
import { recordRejection } from '#lib/platform/history/requests.ts'
import { log, reasonOf, requestContext } from '#lib/platform/runtime/log.ts'
import { findPersonOf } from '../people/find-person.ts'
import { issuerDigest } from '../people/session-credential.ts'
import { type BrowserClient, proceed, type SignedIn } from '../sign-in.ts'
import { bindMember } from './bind.ts'
import {
  consumePendingSignOn,
  exchange,
  type IssuerIdentity,
  type PendingSignOn,
  pendingSignOnIdOf,
} from './code-flow.ts'
import { findProvider, hasDomain, type Provider } from './find-provider.ts'
import { type Claims, domainOf, isSignedInSince, isVerified } from './rules.ts'

/** Error code of a failed sign-on, as the sign-in page shows it. */
export type SignOnError =
  | 'again'
  | 'refused'
  | 'unavailable'
  | 'mail'
  | 'no-member'
  | 'closed'
  | 'other-account'

/** Outcome of a callback. */
export type Completed =
  | { kind: 'done'; outcome: Exclude<SignedIn, { kind: 'refused' | 'throttled' }>; returnTo: string }
  | { kind: 'fault'; error: SignOnError }

const failed = (error: SignOnError): Completed => ({ kind: 'fault', error })

/**
 * Completes a sign-in by an issuer: binds the identity, verified with this browser's pending sign-on, to a member of
 * the provider's customer, and continues like any other verified credential.
 * @param providerId id in the callback's path
 */
export async function completeSignOn(
  providerId: string,
  search: string,
  client: BrowserClient,
): Promise<Completed> {
  const id = pendingSignOnIdOf(client.cookies)
  const pendingSignOn = id === undefined ? undefined : await consumePendingSignOn(id)
  // Another browser, a repeated or late callback, or an answer of another issuer (mix-up).
  if (!id || pendingSignOn?.providerId !== providerId) return failed('again')
  const provider = await findProvider(providerId)
  if (!provider) return failed('refused')
  const identity = await exchange(provider, { id, pendingSignOn, search }).catch((error: unknown) => {
    const reason = codeOf(error)
    log().warn(
      { customer: provider.customerId, reason, detail: reasonOf(error).slice(0, 300) },
      'single sign-on failed',
    )
    deny(provider, provider.id, reason)
    return isAway(error) ? failed('unavailable') : failed('refused')
  })
  return 'kind' in identity ? identity : enter(provider, identity, pendingSignOn, client)
}

async function enter(
  provider: Provider,
  { subject, claims, idToken }: IssuerIdentity,
  { freshMember, since, returnTo }: PendingSignOn,
  client: BrowserClient,
): Promise<Completed> {
  const email = await addressIn(provider, claims)
  if (typeof email !== 'string') return email
  if (freshMember !== null && !isSignedInSince(claims, since))
    return deny(provider, freshMember, 'the sign-in at the issuer is not fresh')
  const bound = await bindMember(provider, { subject, email, claims })
  if (bound.denial !== undefined) {
    const publicError = bound.denial === 'no-member' || bound.denial === 'closed' ? bound.denial : 'refused'
    return deny(provider, bound.memberId ?? provider.id, bound.denial, publicError)
  }
  const { memberId } = bound
  if (freshMember !== null && !(await isOf(memberId, freshMember, client)))
    return deny(provider, memberId, 'another account than that of the session', 'other-account')
  const person = await findPersonOf(provider.customerId, memberId)
  const credentialDigest = issuerDigest(provider.id, subject)
  const issued = { providerId: provider.id, idToken }
  const outcome =
    person && (await proceed(person, { proof: credentialDigest, proven: ['issuer'], issued }, client))
  if (outcome?.kind !== 'signed-in' && outcome?.kind !== 'pending')
    return deny(provider, memberId, 'the membership cannot be opened')
  return { kind: 'done', outcome, returnTo }
}

/** Returns the verified address, whose domain is proven and assigned to the provider; else the denial. */
async function addressIn(provider: Provider, claims: Claims): Promise<string | Completed> {
  const email = z.email().max(254).safeParse(claims.email).data
  const domain = email && domainOf(email)
  if (!email || !domain || !isVerified(claims, provider.verifiedClaim))
    return deny(provider, provider.id, 'the address is not verified', 'mail')
  if (!(await hasDomain(provider, domain)))
    return deny(provider, provider.id, 'the address is of another domain', 'mail')
  return email
}

/** Returns whether the verified identity is the member whose session started the reauthentication. */
async function isOf(memberId: string, freshMember: string, { cookies }: BrowserClient): Promise<boolean> {
  const caller = await session({ get: (name) => (name === 'cookie' ? cookies : null) })
  return memberId === freshMember && caller?.id === freshMember
}

/** Records a denied sign-on; `subject`: the member with that address, else the provider. */
function deny(
  { customerId, issuer }: Provider,
  subject: string,
  reason: string,
  error: SignOnError = 'refused',
): Completed {
  const requestId = requestContext()?.requestId ?? randomUUID()
  const event = {
    action: 'sign-on.refused',
    subject,
    actor: ANONYMOUS,
    requestId,
    details: { issuer, reason },
  }
  void recordRejection(customerId, event)
  return failed(error)
}

/** Returns the error code of openid-client, truncated and sanitized, because an issuer's text is untrusted. */
function codeOf(error: unknown): string {
  const { code, error: oauthError } = (error ?? {}) as { code?: unknown; error?: unknown }
  const text = typeof oauthError === 'string' ? oauthError : typeof code === 'string' ? code : 'no answer'
  return text.slice(0, 100).replaceAll(/[^\w .-]/g, '?')
}

/** Returns whether the issuer did not answer, or failed with a server error. */
function isAway(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code = '', status = 0 } = at as { code?: string; status?: number }
    if (/^(ECONN|ENOTFOUND|ETIMEDOUT|EAI_|EHOST|OAUTH_TIMEOUT)/.test(code) || status >= 500) return true
    if (at.name === 'TimeoutError') return true
  }
  return false
}
