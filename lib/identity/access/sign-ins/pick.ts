import 'server-only'
import { session } from '#lib/platform/caller/session-cookie.ts'
import { needOf } from '../factors/rules.ts'
import { findPersonOf } from '../people/look-up.ts'
import { cookiesOf, goOn, open, REFUSED, type SignedIn, type Visitor } from '../sign-in.ts'
import { reachOf } from './choices.ts'
import { addPending, countStep, findPending } from './pending.ts'

/**
 * Picks a customer: of those that the proof opens that this browser has brought, or, where it is signed in, in the place of
 * the present one. The former session is ended.
 */
export async function pick(customerId: string, visitor: Visitor): Promise<SignedIn> {
  const pending = await findPending(visitor.cookies)
  if (!pending) return change(customerId, visitor)
  return (await countStep(pending)) ? goOn(pending, visitor, customerId) : REFUSED
}

async function change(customerId: string, visitor: Visitor): Promise<SignedIn> {
  const before = await session(cookiesOf(visitor))
  const reach = before && (await reachOf(before))
  const membership = reach?.memberships.find((one) => one.customerId === customerId)
  if (!before || !reach || !membership || before.customerId === customerId) return REFUSED
  const { proof, proven, since } = reach
  if (needOf(membership, proven) === 'nothing') return open(membership, { proof, proven }, visitor, since)
  const personId = (await findPersonOf(before.customerId, before.id))?.personId
  return personId
    ? { kind: 'pending', id: await addPending({ personId, proof, proven, picked: customerId }) }
    : REFUSED
}
