import 'server-only'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { session } from '#lib/platform/caller/session.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { findPersonById, findPersonOf } from '../people/find-person.ts'
import { type Membership, pickable } from '../people/rules.ts'
import { findSessionCredential, openedByCredential } from '../people/session-credential.ts'
import { findPending } from './pending.ts'

/** Memberships that a session may switch to with its original credential. */
type AccessScope = { memberships: Membership[]; proof: string; proven: readonly string[]; since: Date }

/**
 * Returns the memberships that the session's original credential opens, including its own; undefined where the
 * credential is unknown.
 * @param caller signed-in caller; `session` is the digest of the session's id
 */
export async function accessScopeOf({
  customerId,
  session: digest,
}: Signed): Promise<AccessScope | undefined> {
  if (customerId === undefined || digest === undefined) return undefined
  const credential = await findSessionCredential(customerId, digest)
  const person = credential && (await findPersonOf(credential.customerId, credential.memberId))
  if (!person) return undefined
  const { proof, proven, since } = credential
  return { memberships: openedByCredential(proof, person), proof, proven, since }
}

type Signed = Partial<Pick<Caller, 'customerId' | 'session'>>

/** Customer to choose from. */
export type Choice = { id: string; name: string; isPresent: boolean }

/**
 * Returns the customers that the caller can choose from: during a sign-in, or otherwise in a session; empty without
 * either, or where only one is available.
 */
export async function choicesOf(headers: { get(name: string): string | null }): Promise<Choice[]> {
  const pending = await findPending(headers.get('cookie') ?? '')
  if (pending) {
    const person = await findPersonById(pending.personId)
    const opened = person ? openedByCredential(pending.proof, person) : []
    return pickable(opened, pending.proven).map((one) => choiceOf(one))
  }
  const caller = await session(headers)
  const accessScope = caller && (await accessScopeOf(caller))
  const choices = accessScope?.memberships.map((one) => choiceOf(one, caller?.customerId)) ?? []
  return choices.length > 1 ? choices : []
}

/**
 * Returns whether a signed-in person may switch to another customer. Never throws, so that no page fails because of a
 * missing menu item.
 */
export async function mayChange(caller: Signed): Promise<boolean> {
  try {
    const accessScope = await accessScopeOf(caller)
    return (accessScope?.memberships.length ?? 0) > 1
  } catch (error) {
    log().warn({ reason: reasonOf(error) }, 'nobody knows whether there is another customer')
    return false
  }
}

function choiceOf({ customerId, customerName }: Membership, present?: string): Choice {
  return { id: customerId, name: customerName, isPresent: customerId === present }
}
