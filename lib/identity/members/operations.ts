import 'server-only'
import { requirePerson, scopeOfAuthority } from '#lib/identity/access/authority.ts'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import { checkOpen, checkPermission, operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { pageOf, readPageToken, TimeKey } from '#lib/platform/lists/paging.ts'
import { DEFAULT_MAX_RESULTS } from '#lib/platform/lists/parameters.ts'
import { accessOf, hasFullAdmin, limitOf } from './access.ts'
import { change, violationProblem } from './change.ts'
import * as contract from './contract.ts'
import { invite } from './invite.ts'
import { linkFor } from './link.ts'
import { holdsAll } from './rules.ts'
import { replyOf, serializeMember, snapshotOf } from './serialize.ts'
import * as store from './store.ts'
import { removeInvited } from './store.ts'

/** Responses with a secret must not be cached. */
const UNKEPT = { 'Cache-Control': 'no-store' }

export const listMembers = operation(contract.listMembers, async (caller, { query }) => {
  const { pageToken, maxResults = DEFAULT_MAX_RESULTS, ...selection } = query
  const filters = [caller.customerId, 'members', selection] as const
  const cursor = pageToken ? readPageToken(pageToken, filters, TimeKey) : undefined
  const rows = await readScope(caller, (tx) =>
    store.listMembers(tx, caller.customerId, selection, { limit: maxResults + 1, cursor }),
  )
  const { rows: pageRows, ...links } = pageOf(rows, {
    size: maxResults,
    cursor,
    keyOf: store.keyOfMember,
    list: filters,
  })
  const members = pageRows.map(serializeMember)
  return { body: { ...links, members, rowCount: members.length } }
})

export const readMember = operation(contract.readMember, async (caller, { params }) => {
  const row = await readScope(caller, (tx) => store.readMember(tx, caller.customerId, params.member_id))
  if (!row) throw new Problem('not_found')
  return replyOf(row)
})

export const inviteMember = operation(contract.inviteMember, async (caller, { body }, { requestId }) => {
  requirePerson(caller, 'Inviting a member')
  const { row, link } = await authorized(caller, undefined, (tx, now) => invite(tx, now, body, { requestId }))
  return { body: { member: serializeMember(row), link }, headers: UNKEPT }
})

export const changeMember = operation(contract.changeMember, async (caller, input, { requestId }) => {
  const { params, body, headers } = input
  const how = { ifMatch: headers?.['if-match'], requestId }
  // Readers at a closed customer can be disabled as well: by the operator, whom the check before calls does not apply
  // to.
  const evenIfClosed = body.disabled === true && Object.keys(body).length === 1
  checkOpen(caller, { ...contract.changeMember, evenIfClosed })
  const run = (tx: Transaction, now: Caller) => change(tx, now, params.member_id, { requested: body, ...how })
  return replyOf(await authorized(caller, params.member_id, run, { evenIfClosed }))
})

export const makeMemberLink = operation(
  contract.makeMemberLink,
  async (caller, { params }, { requestId }) => {
    requirePerson(caller, 'Creating a link for a member')
    const link = await authorized(caller, params.member_id, async (tx, now) => {
      const member = await existing(tx, now, params.member_id)
      return linkFor(tx, now, member, { requestId })
    })
    return { body: link, headers: UNKEPT }
  },
)

export const withdrawInvitation = operation(
  contract.withdrawInvitation,
  async (caller, { params }, { requestId }) => {
    await authorized(caller, params.member_id, async (tx, now) => {
      const { customerId } = now
      const member = await existing(tx, now, params.member_id)
      const { id, email, invitedAt } = member
      if (!invitedAt) throw new Problem('invitation_accepted')
      const limit = (await hasFullAdmin(tx, customerId)) ? await limitOf(tx, now) : undefined
      if (limit && !holdsAll(limit, snapshotOf(member)))
        throw violationProblem({ reason: 'member_holds_more' }, now)
      await removeInvited(tx, customerId, id)
      const event = { action: 'invitation.withdrawn', subject: id, actor: actorOf(now), requestId }
      await recordAudit(tx, customerId, { ...event, details: { email } })
    })
    return { body: { withdrawn: true as const } }
  },
)

/** Runs a change with the caller's current rights, after locking the changed member and all Admins. */
function authorized<T>(
  caller: Caller,
  memberId: string | undefined,
  run: (tx: Transaction, now: Caller) => Promise<T>,
  { evenIfClosed = false } = {},
): Promise<T> {
  const ids = memberId === undefined ? [] : [memberId]
  const members = (tx: Transaction) => store.lockMembers(tx, caller.customerId, ids)
  const asAdmin = (tx: Transaction, now: Caller) => {
    checkPermission(now, contract.changeMember.permission)
    return run(tx, now)
  }
  return scopeOfAuthority(caller, asAdmin, { before: members, evenIfClosed })
}

async function existing(tx: Transaction, { customerId }: Caller, memberId: string): Promise<store.MemberRow> {
  const member = await store.readMember(tx, customerId, memberId)
  if (!member) throw new Problem('not_found')
  return member
}

/**
 * Returns the billing profiles that the caller may grant: the visible ones, and whether these are all for good.
 * @throws Problem `permission_denied`
 */
export async function readGiving(caller: Caller) {
  checkPermission(caller, contract.inviteMember.permission)
  return readScope(caller, async (tx) => {
    const { billingProfiles: visibleProfiles } = await accessOf(tx, caller)
    const all = await listBillingProfiles(tx, caller.customerId)
    const profiles = all.filter(({ id }) => visibleProfiles === null || visibleProfiles.includes(id))
    return { profiles: profiles.map(({ id, name }) => ({ id, name })), all: visibleProfiles === null }
  })
}
