import 'server-only'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { findPersonOf } from '../people/look-up.ts'
import { findOpening } from '../sign-on/look-up.ts'

/** By what a signed-in member can prove who they are: a password that opens their membership, a factor, their issuer. */
type Ways = { password: boolean; factor: boolean; signOn: boolean }

/**
 * The ways that are not refused to a member: no password opens anything where the customer has turned them off, nor for who
 * has none; and an issuer confirms the sessions that it has opened.
 */
export async function waysOf({ customerId, id, session }: Caller): Promise<Ways> {
  const [person, opening] = await Promise.all([
    findPersonOf(customerId, id),
    session === undefined ? undefined : findOpening(customerId, session),
  ])
  const here = person?.memberships.find((one) => one.customerId === customerId)
  const factor = here !== undefined && !here.isSignOnOnly
  return { password: factor && here.passwordHash !== null, factor, signOn: opening !== undefined }
}
