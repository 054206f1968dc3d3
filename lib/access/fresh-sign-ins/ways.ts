import 'server-only'
import { log, reasonOf } from '#lib/log.ts'
import { findPersonOf } from '../people/look-up.ts'
import type { Caller, Ways } from '../rules.ts'
import { findOpening } from '../sign-on/look-up.ts'

/** Where nobody knows, each is offered, and says itself whether it works. */
const ALL: Ways = { password: true, factor: true, signOn: true }

/**
 * The ways that are not refused to a member: no password opens anything where the customer has turned them off, nor for who
 * has none; and an issuer confirms the sessions that it has opened. Never throws: no screen fails for what it may not show.
 */
export async function waysOf({ customerId, id, session }: Caller): Promise<Ways> {
  try {
    const [person, opening] = await Promise.all([
      findPersonOf(customerId, id),
      session === undefined ? undefined : findOpening(session),
    ])
    const here = person?.memberships.find((one) => one.customerId === customerId)
    const factor = here !== undefined && !here.isSignOnOnly
    return { password: factor && here.passwordHash !== null, factor, signOn: opening !== undefined }
  } catch (error) {
    log().warn({ reason: reasonOf(error) }, 'nobody knows how a member can confirm who they are')
    return ALL
  }
}
