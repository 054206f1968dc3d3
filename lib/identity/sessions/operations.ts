import 'server-only'
import { operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { maySeeOthers } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { pageOf, readPageToken, TimeKey } from '#lib/platform/lists/paging.ts'
import { DEFAULT_MAX_RESULTS } from '#lib/platform/lists/parameters.ts'
import type { Session } from './contract.ts'
import * as contract from './contract.ts'
import { deviceOf } from './device.ts'
import { sessionScopeOf } from './rules.ts'
import { endSessionById, keyOfSession, listSessions as list, type SessionRow } from './store.ts'

export const listSessions = operation(contract.listSessions, async (caller, { query }) => {
  const { pageToken, maxResults = DEFAULT_MAX_RESULTS, whose = 'own' } = query
  const within = sessionScopeOf(caller, whose)
  if (within === 'refused') throw new Problem('permission_denied', 'Only Admins see the sessions of others.')
  const filters = [caller.customerId, 'sessions', whose, caller.id] as const
  const cursor = pageToken ? readPageToken(pageToken, filters, TimeKey) : undefined
  const rows =
    within === 'nobody'
      ? []
      : await readScope(caller, (tx) =>
          list(tx, caller.customerId, within, { limit: maxResults + 1, cursor }),
        )
  const { rows: pageRows, ...links } = pageOf(rows, {
    size: maxResults,
    cursor,
    keyOf: keyOfSession,
    list: filters,
  })
  const sessions = pageRows.map((row) => serializeSession(row, caller))
  return { body: { ...links, sessions, rowCount: sessions.length } }
})

export const endSession = operation(contract.endSession, async (caller, { params }, { requestId }) => {
  const within = sessionScopeOf(caller, maySeeOthers(caller) ? 'all' : 'own')
  if (typeof within !== 'object' && within !== 'all') throw new Problem('not_found')
  const { customerId } = caller
  const end = async (tx: Transaction) => {
    const memberId = await endSessionById(tx, customerId, within, params.session_id)
    if (memberId === undefined) throw new Problem('not_found')
    const details = { session: params.session_id }
    const event = { action: 'session.ended', subject: memberId, actor: actorOf(caller), requestId, details }
    await recordAudit(tx, customerId, event)
  }
  await scope(caller, end, { evenIfClosed: true })
  return { body: { ended: true as const } }
})

function serializeSession(row: SessionRow, { session }: Pick<Caller, 'session'>): Session {
  return {
    id: row.id,
    member: { id: row.memberId, name: row.memberName, email: row.memberEmail },
    device: deviceOf(row.userAgent),
    ...(row.address ? { address: row.address } : {}),
    createTime: row.createdAt.getTime(),
    lastSeenTime: row.lastSeenAt.getTime(),
    isCurrent: row.id === session,
  }
}
