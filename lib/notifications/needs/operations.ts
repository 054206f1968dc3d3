import 'server-only'
import { readWeekly, setWeekly } from '#lib/notifications/notices/weekly.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { actorOf } from '#lib/platform/history/audit.ts'
import { mailSettings } from '#lib/platform/mail/settings.ts'
import { env } from '#lib/platform/runtime/env.ts'
import * as contract from './contract.ts'
import { readNeeds, type Who } from './read.ts'
import { serializeNeeds } from './serialize.ts'
import { addDismissal, removeDismissal, type Whose } from './store.ts'

export const listNeeds = operation(contract.listNeeds, needsFor)

export const dismissNeed = operation(contract.dismissNeed, async (caller, { params, body }) => {
  const whose = memberOf(caller)
  await itsNeed(caller, params.need_id)
  await scope(caller, (tx) => addDismissal(tx, whose, { id: params.need_id, version: body.version }))
  return { body: await itsNeed(caller, params.need_id) }
})

export const restoreNeed = operation(contract.restoreNeed, async (caller, { params }) => {
  const whose = memberOf(caller)
  await itsNeed(caller, params.need_id)
  await scope(caller, (tx) => removeDismissal(tx, whose, params.need_id))
  return { body: await itsNeed(caller, params.need_id) }
})

export const readNeedsMail = operation(contract.readNeedsMail, async (caller) => {
  const { customerId } = memberOf(caller)
  const isOn = await readScope(caller, (tx) => readWeekly(tx, customerId, caller.email))
  return { body: { isOn, isPossible: mailSettings() !== undefined } }
})

export const setNeedsMail = operation(contract.setNeedsMail, async (caller, { body }, { requestId }) => {
  const { customerId } = memberOf(caller)
  const by = { actor: actorOf(caller), requestId }
  await scope(caller, (tx) => setWeekly(tx, customerId, { email: caller.email, isOn: body.isOn, by }))
  return { body: { isOn: body.isOn, isPossible: mailSettings() !== undefined } }
})

type Reader = Pick<Caller, 'customerId' | 'roles' | 'billingProfiles' | 'via' | 'id'>

async function needsFor(caller: Reader): Promise<{ body: contract.Needs; validUntil: number }> {
  const { customerId, roles, billingProfiles, via, id } = caller
  const who: Who = { customerId, roles, billingProfiles, memberId: via === 'session' ? id : undefined }
  const loaded = await readScope(caller, (tx) => readNeeds(tx, who))
  return { body: serializeNeeds(loaded, env().baseUrl), validUntil: loaded.validUntil }
}

/** @throws Problem `not_found` for an item outside the caller's list, even if in another member's */
async function itsNeed(caller: Caller, id: string): Promise<contract.Need> {
  const need = (await needsFor(caller)).body.needs.find((one) => one.id === id)
  if (!need) throw new Problem('not_found')
  return need
}

/** @throws Problem `permission_denied` for keys, which have no dismissals */
function memberOf({ via, customerId, id }: Caller): Whose {
  if (via === 'session') return { customerId, memberId: id }
  throw new Problem('permission_denied', 'What needs somebody is put aside by a signed-in member alone.')
}
