import 'server-only'
import { eq } from 'drizzle-orm'
import { authorityIn, requireFresh, requirePerson, scopeOfAuthority } from '#lib/identity/access/authority.ts'
import * as change from '#lib/identity/access/factors/change.ts'
import {
  makingOptions,
  relyingParty,
  requestOptions,
  SIGN_IN,
} from '#lib/identity/access/factors/passkeys.ts'
import { reauthenticationIn } from '#lib/identity/access/factors/prove.ts'
import { resetFactors as reset } from '#lib/identity/access/factors/reset.ts'
import { makingBy, settingUpIn, setUp } from '#lib/identity/access/factors/set-up.ts'
import type { FactorRow } from '#lib/identity/access/factors/store.ts'
import * as factors from '#lib/identity/access/factors/store.ts'
import { newSecret } from '#lib/identity/access/factors/totp.ts'
import { accessOf, checkSeesAll } from '#lib/identity/members/access.ts'
import { holdsAll } from '#lib/identity/members/rules.ts'
import { snapshotOf } from '#lib/identity/members/serialize.ts'
import { lockMembers, readMember } from '#lib/identity/members/store.ts'
import { checkPermission, operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { customers } from '#lib/platform/db/schema/customers.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import type { SecondFactor } from './contract.ts'
import * as contract from './contract.ts'

/** Responses with a secret must not be cached. */
const UNKEPT = { 'Cache-Control': 'no-store' }

export const listFactors = operation(contract.listFactors, async (caller) => {
  sessionOf(caller)
  return { body: await factorsOf(caller) }
})

export const beginFactor = operation(contract.beginFactor, async (caller, { body }) => {
  const session = sessionOf(caller)
  requireFresh(caller)
  if (body.kind === 'totp') return { body: { app: newSecret(session, caller) }, headers: UNKEPT }
  const { whose, present } = await settingUpIn(caller)
  const options = await makingOptions(makingBy(session), { email: caller.email, whose, present })
  return { body: { options: possible(options) }, headers: UNKEPT }
})

export const addFactor = operation(contract.addFactor, async (caller, { body }) => {
  const session = sessionOf(caller)
  requireFresh(caller)
  const { customerId, id: memberId } = caller
  const { proven } = await settingUpIn(caller)
  await setUp({ customerId, memberId, proven, owner: session, exceptSession: session }, body)
  return { body: await factorsOf(caller) }
})

export const removeFactor = operation(contract.removeFactor, async (caller, { params }) => {
  sessionOf(caller)
  requireFresh(caller)
  await change.removeFactor(caller, params.factor_id)
  return { body: await factorsOf(caller) }
})

export const renewCodes = operation(contract.renewCodes, async (caller) => {
  sessionOf(caller)
  requireFresh(caller)
  return { body: { codes: await change.renewCodes(caller) }, headers: UNKEPT }
})

export const askPasskey = operation(contract.askPasskey, async () => ({
  body: { options: possible(await requestOptions(SIGN_IN)) },
  headers: UNKEPT,
}))

export const confirmPasskey = operation(contract.confirmPasskey, async (caller) => {
  const session = sessionOf(caller)
  const { present } = await settingUpIn(caller)
  return {
    body: { options: possible(await requestOptions(reauthenticationIn(session), present)) },
    headers: UNKEPT,
  }
})

export const readFactorDemand = operation(contract.readFactorDemand, async (caller) => ({
  body: { isDemanded: await readScope(caller, (tx) => readDemand(tx, caller.customerId)) },
}))

export const demandFactor = operation(contract.demandFactor, async (caller, { body }, { requestId }) => {
  requirePerson(caller, 'Requiring two-step verification')
  const { isDemanded } = body
  await scopeOfAuthority(caller, async (tx, now) => {
    checkPermission(now, contract.demandFactor.permission)
    await checkSeesAll(tx, now, 'Requiring two-step verification')
    const { customerId } = now
    if ((await readDemand(tx, customerId)) === isDemanded) return
    await setDemand(tx, customerId, isDemanded)
    const action = isDemanded ? 'factor.demanded' : 'factor.not-demanded'
    await recordAudit(tx, customerId, { action, subject: customerId, actor: actorOf(now), requestId })
  })
  return { body: { isDemanded } }
})

export const resetFactors = operation(contract.resetFactors, async (caller, { params }, { requestId }) => {
  requirePerson(caller, 'Resetting two-step verification')
  requireFresh(caller)
  const { member_id: id } = params
  await reset(caller, id, requestId, (tx) => checkMayReset(tx, caller, id))
  return { body: { reset: true as const } }
})

/** Returns the digest of the caller's session. @throws Problem `permission_denied` for a key, which has no factors */
function sessionOf({ via, session }: Caller): string {
  if (via === 'session' && session !== undefined) return session
  throw new Problem('permission_denied', 'Only a signed-in member has two-step verification.')
}

function factorsOf(caller: Caller): Promise<contract.SecondFactors> {
  const { customerId, id } = caller
  const party = relyingParty()
  return readScope(caller, async (tx) => {
    const { factors: rows, codesLeft } = await factors.listFactors(tx, customerId, id)
    return {
      factors: rows.map(serializeFactor),
      codesLeft,
      isDemanded: await readDemand(tx, customerId),
      passkeys: typeof party === 'string' ? party : ('possible' as const),
    }
  })
}

function possible(options: object | undefined): Record<string, unknown> {
  if (options) return { ...options }
  throw new Problem('not_found', 'Passkeys need a host name in BASE_URL, and https unless it is localhost.')
}

/**
 * Checks that the caller may reset a member's factors: only another member with all of the member's access may, as with
 * links. Runs in the transaction of the reset, and locks the rows that it reads.
 * @throws Problem `not_found`, `permission_denied`; `unauthenticated` where the caller has lost access concurrently
 */
async function checkMayReset(tx: Transaction, requester: Caller, memberId: string): Promise<void> {
  const lock = () => lockMembers(tx, requester.customerId, [memberId])
  const caller = await authorityIn(tx, requester, { before: lock })
  checkPermission(caller, 'members-manager')
  const member = await readMember(tx, requester.customerId, memberId)
  if (!member) throw new Problem('not_found')
  if (caller.via === 'session' && caller.id === memberId)
    throw new Problem('permission_denied', 'Another Admin resets yours. You remove them yourself.')
  if (!holdsAll(await accessOf(tx, caller), snapshotOf(member)))
    throw new Problem('permission_denied', 'This member has roles or billing profiles that you do not have.')
}

function serializeFactor(row: FactorRow): SecondFactor {
  const { id, kind, name, reach, createdAt, lastUsedAt } = row
  return {
    id,
    kind,
    name,
    isEverywhere: reach === null,
    createTime: createdAt.getTime(),
    ...(lastUsedAt ? { lastUseTime: lastUsedAt.getTime() } : {}),
  }
}

/** Returns whether the customer demands a second factor of each member. */
async function readDemand(tx: Transaction, customerId: CustomerId): Promise<boolean> {
  const rows = await tx
    .select({ demandsFactor: customers.demandsFactor })
    .from(customers)
    .where(eq(customers.id, customerId))
  return rows[0]?.demandsFactor ?? false
}

/** Stores whether second factors are mandatory, from the next sign-in on. */
async function setDemand(tx: Transaction, customerId: CustomerId, demandsFactor: boolean) {
  await tx.update(customers).set({ demandsFactor }).where(eq(customers.id, customerId))
}
