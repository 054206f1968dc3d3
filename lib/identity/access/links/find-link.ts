import 'server-only'
import { sql } from 'drizzle-orm'
import { digestOf, findAll } from '#lib/platform/caller/credentials.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { minted, queryWithoutCustomer } from '#lib/platform/caller/store.ts'
import { findPersonById, findPersonOf } from '../people/find-person.ts'
import { type Membership, type Person, presentOf } from '../people/rules.ts'
import { type LinkKind, type LinkState, stateOf } from './rules.ts'

/** Link that was made for a member; a `recovery` was requested for a forgotten password. */
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

/** Finds the link with this secret, in any state; undefined: unknown. */
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

/** Finds the person that a link was made for. */
export function findPersonOfLink(link: Link): Promise<Person | undefined> {
  return link.kind === 'recovery'
    ? findPersonById(link.personId)
    : findPersonOf(link.customerId, link.memberId)
}

/**
 * Returns the membership that a link was made for; for a recovery, the first accepted one. Undefined where the
 * membership is disabled, its customer has mandatory single sign-on, or a closed customer's invitation is not accepted
 * yet: such links open nothing.
 */
export function membershipOf(link: Link, { memberships }: Person): Membership | undefined {
  const enabled = memberships.filter(({ isDisabled, isSignOnOnly }) => !isDisabled && !isSignOnOnly)
  if (link.kind === 'recovery') return enabled.find(({ isInvited }) => !isInvited)
  const membership = enabled.find(
    (one) => one.customerId === link.customerId && one.memberId === link.memberId,
  )
  return membership?.isClosed && membership.isInvited ? undefined : membership
}

/** State of a link as its page shows it. Reading it changes nothing, because mail scanners open every link. */
export type LinkView =
  | { state: Exclude<LinkState, 'open'> | 'unknown' | 'sign-on' }
  | { state: 'open'; email: string; customer: string | undefined; passwordPrompt: PasswordPrompt }

/** Password to ask for: a new one, the present one, or either, where the page must not reveal whether one exists. */
export type PasswordPrompt = 'new' | 'present' | 'either'

/** Returns the view of the link with this secret. */
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
  // A mailed link sets the password of all memberships, so no single customer is shown.
  return {
    state: 'open',
    email,
    customer: kind === 'reset' && link.isMailed ? undefined : customerName,
    passwordPrompt,
  }
}
