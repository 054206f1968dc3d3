import 'server-only'
import { operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { mailSettings } from '#lib/platform/mail/settings.ts'
import { requestContext } from '#lib/platform/runtime/log.ts'
import * as contract from './contract.ts'
import { noteFactor } from './factors/store.ts'
import { noteReauthentication, prove, reauthenticationMethodsOf } from './fresh-sign-ins.ts'
import { requestRecovery as keepRecovery } from './links/recoveries.ts'
import { redeemLink as redeem } from './links/redeem.ts'
import { replacePassword } from './passwords/change.ts'
import { countRecovery } from './sign-ins/throttling.ts'

export const changePassword = operation(contract.changePassword, async (caller, { body }, { requestId }) => {
  if (caller.via !== 'session')
    throw new Problem('permission_denied', 'Only a signed-in member has a password.')
  await replacePassword(caller, body, requestId)
  return { body: { changed: true } }
})

export const readWays = operation(contract.readWays, async (caller) => {
  if (caller.via !== 'session')
    throw new Problem('permission_denied', 'Only a signed-in member can confirm who they are.')
  return { body: await reauthenticationMethodsOf(caller) }
})

/** Confirms the member's identity: the session counts as freshly signed in from now on. */
export const proveSession = operation(contract.proveSession, async (caller, { body }, { requestId }) => {
  const { via, customerId, session } = caller
  if (via !== 'session' || session === undefined)
    throw new Problem('permission_denied', 'Only a signed-in member can confirm who they are.')
  const { factor } = await prove(caller, body)
  const note = async (tx: Transaction) => {
    await noteReauthentication(tx, customerId, session)
    if (factor) await noteFactor(tx, customerId, session, factor)
    const event = { action: 'session.confirmed', subject: caller.id, actor: actorOf(caller), requestId }
    await recordAudit(tx, customerId, event)
  }
  await scope(caller, note, { evenIfClosed: true })
  return { body: { proven: true as const } }
})

export const redeemLink = operation(contract.redeemLink, async (_, { body }) => ({
  body: { email: await redeem(body) },
}))

export const askRecovery = operation(contract.askRecovery, async (_, { body }) => {
  if (!mailSettings())
    throw new Problem('not_found', 'No mail server is set up here. Ask an Admin of your company.')
  const wait = await countRecovery(body.email, requestContext()?.address ?? '')
  if (wait > 0) {
    const headers = { 'Retry-After': String(wait) }
    throw new Problem(
      'rate_limited',
      'Too many links were asked for. Open the newest one that was mailed, or wait before you ask again.',
      {
        headers,
      },
    )
  }
  await keepRecovery(body.email)
  return { body: { asked: true } }
})
