import 'server-only'
import { listInvoices } from '#lib/billing/invoices/contract.ts'
import { listAuditEvents } from '#lib/identity/audit-events/contract.ts'
import { listAssets } from '#lib/licenses/assets/contract.ts'
import { listLicenseChanges } from '#lib/licenses/license-changes/contract.ts'
import type { AnyContract } from '#lib/platform/api/contract.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { readInput } from '#lib/platform/api/request.ts'
import { type Caller, may, PERMISSION_NAMES } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { memberOf } from '../member.ts'
import { add, change, lockRelatedViews, mayOpen, record, requireMayShare } from './change.ts'
import type { View } from './contract.ts'
import * as contract from './contract.ts'
import { NO_PART, VIEW_SCREENS, type ViewPath } from './rules.ts'
import type { ViewRow } from './store.ts'
import * as store from './store.ts'

const MEMBERS_ONLY = 'Views are saved and changed by a signed-in member alone.'

export const listViews = operation(contract.listViews, async (caller) => {
  const { customerId, via, id } = caller
  const memberId = via === 'session' ? id : undefined
  const rows = await readScope(caller, (tx) => store.listViews(tx, customerId, memberId))
  const views = rows.filter(({ path }) => mayOpen(caller, path)).map((row) => toView(caller, row))
  const mayShare = memberId !== undefined && may(caller, 'members-manager')
  return { body: { views, mayShare } }
})

export const createView = operation(contract.createView, async (caller, { body }, { requestId }) => {
  const { memberId } = memberOf(caller, MEMBERS_ONLY)
  const { name, path, isPinned, isShared } = body
  if (isShared) requireMayShare(caller)
  if (!mayOpen(caller, path)) throw permissionDenied(path)
  const query = await readQuery(path, body.query)
  const after = await scope(caller, async (tx) => {
    const row = await add(tx, caller, { memberId: isShared ? null : memberId, name, path, query, isPinned })
    await record(tx, caller, { after: row }, requestId)
    return row
  })
  return { body: toView(caller, after) }
})

export const changeView = operation(contract.changeView, async (caller, { params, body }, { requestId }) => {
  memberOf(caller, MEMBERS_ONLY)
  if (body.isShared) requireMayShare(caller)
  const after = await scope(caller, async (tx) => {
    await lockRelatedViews(tx, caller, body)
    const before = await lockEditableView(tx, caller, params.view_id)
    const query = body.query === undefined ? undefined : await readQuery(before.path as ViewPath, body.query)
    const row = await change(tx, caller, before, { ...body, query })
    await record(tx, caller, { before, after: row }, requestId)
    return row
  })
  return { body: toView(caller, after) }
})

export const removeView = operation(contract.removeView, async (caller, { params }, { requestId }) => {
  const before = await scope(caller, async (tx) => {
    const row = await lockEditableView(tx, caller, params.view_id)
    await store.removeView(tx, caller.customerId, row.id)
    await record(tx, caller, { before: row }, requestId)
    return row
  })
  return { body: toView(caller, before) }
})

function toView(caller: Pick<Caller, 'roles' | 'via'>, row: store.ViewRow): contract.View {
  const who = { isAdmin: may(caller, 'members-manager'), isPerson: caller.via === 'session' }
  return serializeView(row, who, env().baseUrl)
}

/**
 * Locks a view that the caller may change, and returns it.
 * @throws Problem `not_found` for a view of another member, or of a screen that the caller may not open;
 * `permission_denied`
 */
async function lockEditableView(tx: Transaction, caller: Caller, id: string): Promise<store.ViewRow> {
  const { memberId } = memberOf(caller, MEMBERS_ONLY)
  const row = await store.lockView(tx, caller.customerId, memberId, id)
  if (!row || !mayOpen(caller, row.path)) throw new Problem('not_found')
  if (row.memberId === null) requireMayShare(caller)
  return row
}

function permissionDenied(path: ViewPath): Problem {
  const permission = PERMISSION_NAMES[VIEW_SCREENS[path]]
  return new Problem('permission_denied', `The screen ${path} needs the permission ${permission}.`, {
    members: { permission },
  })
}

/**
 * Contract of the call behind each screen: its query schema lists the parameters that the screen's address may have.
 */
const CONTRACTS: Record<ViewPath, AnyContract> = {
  '/assets': listAssets,
  '/invoices': listInvoices,
  '/activity': listLicenseChanges,
  '/activity/events': listAuditEvents,
}

/**
 * Returns the query string to store for a screen: each parameter once, without the page.
 * @throws Problem `invalid_request` where the screen would reject the query
 */
async function readQuery(path: ViewPath, queryText: string): Promise<string> {
  const contract = CONTRACTS[path]
  const parts = new URLSearchParams(queryText)
  for (const name of parts.keys()) {
    if (!Object.hasOwn(contract.query.shape, name))
      throw invalid(`has a parameter that ${path} does not know: ${name}`)
    if (parts.getAll(name).length > 1) throw invalid(`has ${name} more than once`)
  }
  for (const name of NO_PART) parts.delete(name)
  // `:` and `|` are the filter's grammar: not encoded, so that the address stays readable.
  const search = parts.toString().replaceAll('%3A', ':').replaceAll('%7C', '|')
  const request = {
    method: 'GET',
    path: contract.path,
    search,
    headers: new Headers(),
    read: async () => new Uint8Array(),
  }
  await readInput(contract, request).catch((error) => {
    throw error instanceof Problem ? invalid(error.message) : error
  })
  return search
}

function invalid(detail: string): Problem {
  return new Problem('invalid_request', `query: ${detail}`, { errors: [{ pointer: '/query', detail }] })
}

/**
 * @param who whether the caller is an Admin, who may change shared views, and a signed-in member
 * @param baseUrl the console's public address, without a trailing slash
 */
function serializeView(row: ViewRow, who: { isAdmin: boolean; isPerson: boolean }, baseUrl: string): View {
  const { id, name, query, isPinned, position, memberId, createdAt } = row
  const isShared = memberId === null
  return {
    id,
    name,
    path: row.path as ViewPath,
    query,
    url: `${baseUrl}${row.path}${query ? `?${query}` : ''}`,
    isShared,
    isPinned,
    position,
    mayChange: who.isPerson && (!isShared || who.isAdmin),
    createTime: createdAt.getTime(),
  }
}
