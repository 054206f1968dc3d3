import 'server-only'
import { presentOf } from '../people/rules.ts'
import { findLink, findPersonOfLink, membershipOf } from './look-up.ts'
import type { LinkState } from './rules.ts'

/** What its page shows of a link; nothing is changed by reading it, for mail scanners open every link. */
export type LinkView =
  | { state: Exclude<LinkState, 'open'> | 'unknown' | 'sign-on' }
  | { state: 'open'; email: string; customer: string | undefined; asks: Asks }

/** For which password: a new one, one that there is already, or either, where nobody may be told whether there is one. */
export type Asks = 'new' | 'present' | 'either'

/** What there is of the link with this secret. */
export async function viewOfLink(kind: 'invitation' | 'reset', secret: string): Promise<LinkView> {
  const link = await findLink(secret)
  const isOfPage = link && (link.kind === 'invitation') === (kind === 'invitation')
  if (!isOfPage) return { state: 'unknown' }
  if (link.state !== 'open') return { state: link.state }
  const person = await findPersonOfLink(link)
  const membership = person && membershipOf(link, person)
  if (!membership) {
    const isSignOnOnly = person?.memberships.some(
      (one) => link.kind !== 'recovery' && one.customerId === link.customerId && one.isSignOnOnly,
    )
    return { state: isSignOnOnly ? 'sign-on' : 'withdrawn' }
  }
  const { email, customerName } = membership
  const present = presentOf(person) === undefined ? 'new' : 'present'
  const asks = kind === 'reset' ? 'new' : link.isMailed ? present : 'either'
  // A mailed link sets the password of all that somebody has, and so belongs to no customer.
  return {
    state: 'open',
    email,
    customer: kind === 'reset' && link.isMailed ? undefined : customerName,
    asks,
  }
}
