import 'server-only'
import { and, eq, inArray, isNull, notInArray, or, type SQL } from 'drizzle-orm'
import { decodeJwt } from 'jose'
import * as oidc from 'openid-client'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import { endSessions } from '#lib/platform/caller/session.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { sessions } from '#lib/platform/db/schema/access/sign-ins.ts'
import { signOnSessions, signOnSubjects } from '#lib/platform/db/schema/access/sign-on.ts'
import { members } from '#lib/platform/db/schema/customers.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { issuerDigest } from '../people/session-credential.ts'
import { configurationFor } from './code-flow.ts'
import { findOpening, findProvider } from './find-provider.ts'
import { checkIssuerAddress } from './outbound.ts'
import { type Issued, sealFor } from './sealed.ts'

/** Stores the provider and the ID token of a session, for the lifetime of the session. */
export async function saveOpening(
  tx: Transaction,
  customerId: CustomerId,
  digest: string,
  { providerId, idToken }: Issued,
): Promise<void> {
  await tx.insert(signOnSessions).values({
    ...{ customerId, digest, providerId, idToken: sealFor(digest, idToken) },
    issuerSession: issuerSessionIn(idToken),
  })
}

/** Returns the issuer's session id (`sid`). The token was verified before. */
function issuerSessionIn(idToken: string): string | null {
  const { sid } = decodeJwt(idToken)
  return typeof sid === 'string' && sid.length <= 255 ? sid : null
}

/**
 * Returns the address at which the session's issuer ends its own session and redirects back to our sign-in page;
 * undefined where no issuer opened the session, or the issuer has no such address or does not answer: then only our
 * session ends.
 */
export async function endSessionUrlOf({ customerId, session }: Caller): Promise<string | undefined> {
  const opening = session === undefined ? undefined : await findOpening(customerId, session)
  const provider = opening && (await findProvider(opening.providerId))
  if (!provider) return undefined
  try {
    const configuration = await configurationFor(provider)
    if (!configuration.serverMetadata().end_session_endpoint) return undefined
    const { idToken } = opening
    const back = new URLSearchParams({ post_logout_redirect_uri: `${env().baseUrl}/sign-in` })
    if (idToken !== undefined) back.set('id_token_hint', idToken)
    const { href } = oidc.buildEndSessionUrl(configuration, back)
    // The browser is redirected there: a `javascript:` address would run in our page.
    checkIssuerAddress(href)
    return href
  } catch (error) {
    log().warn(
      { customer: provider.customerId, reason: reasonOf(error).slice(0, 300) },
      'no sign-out at the issuer',
    )
    return undefined
  }
}

/** Ends the sessions that a provider has opened. */
export async function endOpenedBy(
  tx: Transaction,
  customerId: CustomerId,
  providerId: string,
): Promise<void> {
  const issuerDigests = await issuerDigestsOf(tx, customerId, eq(signOnSubjects.providerId, providerId))
  await endSessions(tx, customerId, inArray(sessions.proof, issuerDigests))
}

/** Ends the sessions that no provider has opened. */
export async function endOthers(tx: Transaction, customerId: CustomerId): Promise<void> {
  const issuerDigests = await issuerDigestsOf(tx, customerId)
  await endSessions(tx, customerId, or(isNull(sessions.proof), notInArray(sessions.proof, issuerDigests)))
}

/**
 * Locks the customer's members, so that concurrent sign-ins wait until the transaction ends and are then checked again.
 */
export async function holdSignIns(tx: Transaction, customerId: CustomerId): Promise<void> {
  const memberFilter = eq(members.customerId, customerId)
  await tx
    .select({ id: members.id })
    .from(members)
    .where(memberFilter)
    .orderBy(members.id)
    .for('no key update')
}

async function issuerDigestsOf(tx: Transaction, customerId: CustomerId, which?: SQL): Promise<string[]> {
  const { providerId, subject } = signOnSubjects
  const subjectFilter = and(eq(signOnSubjects.customerId, customerId), which)
  const all = await tx.select({ providerId, subject }).from(signOnSubjects).where(subjectFilter)
  return all.map((one) => issuerDigest(one.providerId, one.subject))
}
