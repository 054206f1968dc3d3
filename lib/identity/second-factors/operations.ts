import 'server-only'
import { requirePerson } from '#lib/identity/access/authority/require-person.ts'
import { scopeOfAuthority } from '#lib/identity/access/authority/scope.ts'
import * as change from '#lib/identity/access/factors/change.ts'
import { askingOptions, makingOptions, SIGN_IN } from '#lib/identity/access/factors/passkeys.ts'
import { proofIn } from '#lib/identity/access/factors/prove.ts'
import { relyingParty } from '#lib/identity/access/factors/relying-party.ts'
import { resetFactors as reset } from '#lib/identity/access/factors/reset.ts'
import { makingBy, settingUpIn, setUp } from '#lib/identity/access/factors/set-up.ts'
import * as factors from '#lib/identity/access/factors/store.ts'
import { newSecret } from '#lib/identity/access/factors/totp.ts'
import { requireFresh } from '#lib/identity/access/fresh-sign-ins/require-fresh.ts'
import { checkPermission, operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import * as contract from './contract.ts'
import { checkMayReset } from './may-reset.ts'
import { serializeFactor } from './serialize.ts'
import { readDemand, setDemand } from './store.ts'

/** A secret in an answer is for who asked, and for no cache on the way. */
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
  await setUp({ customerId, memberId, proven, owner: session, keep: session }, body)
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
  body: { options: possible(await askingOptions(SIGN_IN)) },
  headers: UNKEPT,
}))

export const confirmPasskey = operation(contract.confirmPasskey, async (caller) => {
  const session = sessionOf(caller)
  const { present } = await settingUpIn(caller)
  return { body: { options: possible(await askingOptions(proofIn(session), present)) }, headers: UNKEPT }
})

export const readFactorDemand = operation(contract.readFactorDemand, async (caller) => ({
  body: { isDemanded: await readScope(caller, (tx) => readDemand(tx, caller.customerId)) },
}))

export const demandFactor = operation(contract.demandFactor, async (caller, { body }, { requestId }) => {
  requirePerson(caller, 'To say whether second factors are demanded')
  const { isDemanded } = body
  await scopeOfAuthority(caller, async (tx, now) => {
    checkPermission(now, contract.demandFactor.permission)
    const { customerId } = now
    if ((await readDemand(tx, customerId)) === isDemanded) return
    await setDemand(tx, customerId, isDemanded)
    const action = isDemanded ? 'factor.demanded' : 'factor.not-demanded'
    await recordAudit(tx, customerId, { action, subject: customerId, actor: actorOf(now), requestId })
  })
  return { body: { isDemanded } }
})

export const resetFactors = operation(contract.resetFactors, async (caller, { params }, { requestId }) => {
  requirePerson(caller, 'To take second factors away')
  requireFresh(caller)
  const { member_id: id } = params
  await reset(caller, id, requestId, (tx) => checkMayReset(tx, caller, id))
  return { body: { reset: true as const } }
})

/** The digest of the caller's session. @throws Problem `permission_denied`: a key is nobody who has factors */
function sessionOf({ via, session }: Caller): string {
  if (via === 'session' && session !== undefined) return session
  throw new Problem('permission_denied', 'Only a signed-in member has second factors.')
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
