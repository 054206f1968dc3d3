import 'server-only'
import { sql } from 'drizzle-orm'
import { digestOf, findAll } from '#lib/platform/caller/credentials.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { minted, queryWithoutCustomer } from '#lib/platform/caller/store.ts'
import { findPersonById, findPersonOf } from '../people/find-person.ts'
import { type Membership, type Person, presentOf } from '../people/rules.ts'
import { type LinkKind, type LinkState, stateOf } from './rules.ts'

/** A link that was made for a member, or, as `recovery`, asked for by somebody who has forgotten a password. */
export type Link = { id: string; isMailed: boolean; state: LinkState } & (
  | { kind: LinkKind; customerId: CustomerId; memberId: string }
  | { kind: 'recovery'; personId: string }
)

type Row = {
  kind: LinkKind | 'recovery'
  id: string
  customer_id: string | null
  whose: string
  is_mailed: boolean
  is_used: boolean
  is_withdrawn: boolean
  is_expired: boolean
}

/** The link that has this secret, in whatever state; undefined where there is none. */
export async function findLink(secret: string): Promise<Link | undefined> {
  const digest = digestOf(secret)
  const rows = await findAll('link', [digest])
  const { customerId = '', id = '' } = rows[0] ?? {}
  return queryWithoutCustomer('signIn', async (tx) => {
    const ends = sql`used_at IS NOT NULL AS is_used, withdrawn_at IS NOT NULL AS is_withdrawn, expires_at <= now() AS is_expired`
    const { rows } = await tx.execute<Row>(sql`
      SELECT kind, id, customer_id, member_id AS whose, state IS NOT NULL AS is_mailed, ${ends}
      FROM account_links WHERE customer_id = ${customerId} AND id = ${id} AND digest = ${digest}
      UNION ALL SELECT 'recovery', id, NULL, person_id, true, ${ends} FROM recoveries WHERE digest = ${digest}`)
    const [row] = rows
    if (!row) return undefined
    const state = stateOf({ isUsed: row.is_used, isWithdrawn: row.is_withdrawn, isExpired: row.is_expired })
    const reference = { id: row.id, isMailed: row.is_mailed, state }
    if (row.kind === 'recovery') return { ...reference, kind: 'recovery', personId: row.whose }
    return { ...reference, kind: row.kind, customerId: minted(row.customer_id ?? ''), memberId: row.whose }
  })
}

/** Whom a link is for. */
export function findPersonOfLink(link: Link): Promise<Person | undefined> {
  return link.kind === 'recovery'
    ? findPersonById(link.personId)
    : findPersonOf(link.customerId, link.memberId)
}

/**
 * The membership for which a link was made; of a recovery, any that was taken up. Undefined where it is disabled, or
 * its customer has single sign-on alone: then its links open nothing. Nobody takes one up of a customer that is closed.
 */
export function membershipOf(link: Link, { memberships }: Person): Membership | undefined {
  const enabled = memberships.filter(({ isDisabled, isSignOnOnly }) => !isDisabled && !isSignOnOnly)
  if (link.kind === 'recovery') return enabled.find(({ isInvited }) => !isInvited)
  const membership = enabled.find(
    (one) => one.customerId === link.customerId && one.memberId === link.memberId,
  )
  return membership?.isClosed && membership.isInvited ? undefined : membership
}

/** What its page shows of a link; nothing is changed by reading it, for mail scanners open every link. */
export type LinkView =
  | { state: Exclude<LinkState, 'open'> | 'unknown' | 'sign-on' }
  | { state: 'open'; email: string; customer: string | undefined; passwordPrompt: PasswordPrompt }

/** For which password: a new one, one that there is already, or either, where nobody may be told whether there is one. */
export type PasswordPrompt = 'new' | 'present' | 'either'

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
  const passwordPrompt = kind === 'reset' ? 'new' : link.isMailed ? present : 'either'
  // A mailed link sets the password of all that somebody has, and so belongs to no customer.
  return {
    state: 'open',
    email,
    customer: kind === 'reset' && link.isMailed ? undefined : customerName,
    passwordPrompt,
  }
}
