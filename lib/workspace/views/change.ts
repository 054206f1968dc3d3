import 'server-only'
import { isDeepStrictEqual } from 'node:util'
import { errorCode } from '#lib/platform/api/error-mapper.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { type Caller, may, PERMISSION_NAMES } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { isViewPath, MAX_VIEWS, placed, VIEW_SCREENS } from './rules.ts'
import * as store from './store.ts'

/** Returns whether the caller may open a view's screen. */
export function mayOpen(caller: Pick<Caller, 'roles'>, path: string): boolean {
  return isViewPath(path) && may(caller, VIEW_SCREENS[path])
}

/** Requires an Admin for a shared view. @throws Problem `permission_denied` for other callers */
export function requireMayShare(caller: Pick<Caller, 'roles'>): void {
  if (may(caller, 'members-manager')) return
  throw new Problem('permission_denied', 'Only an Admin shares views with all, and changes shared ones.', {
    members: { permission: PERMISSION_NAMES['members-manager'] },
  })
}

/**
 * Adds a view in the last position of its owner's views.
 * @throws Problem `views_full`, `view_exists`
 */
export async function add(
  tx: Transaction,
  { customerId }: Caller,
  view: store.NewView,
): Promise<store.ViewRow> {
  const others = withRoom(await store.lockViewsOf(tx, customerId, view.memberId), view.memberId)
  const position = others.filter(({ path }) => path === view.path).length
  const row = await store.addView(tx, customerId, { ...view, position })
  if (!row) throw exists(view)
  return row
}

/** Changed fields of a view; undefined fields stay as they are. */
export type Change = {
  name?: string | undefined
  query?: string | undefined
  isPinned?: boolean | undefined
  isShared?: boolean | undefined
  position?: number | undefined
}

/**
 * Locks the views that a change of position or owner affects, in a fixed order: the member's own, then the shared ones.
 */
export async function lockRelatedViews(
  tx: Transaction,
  caller: Caller,
  { isShared, position }: Change,
): Promise<void> {
  if (isShared === undefined && position === undefined) return
  await store.lockViewsOf(tx, caller.customerId, caller.id)
  if (may(caller, 'members-manager')) await store.lockViewsOf(tx, caller.customerId, null)
}

/**
 * Changes a view, and returns it.
 * @param row locked
 * @throws Problem `views_full`, `view_exists`
 */
export async function change(
  tx: Transaction,
  { customerId, id: caller }: Caller,
  row: store.ViewRow,
  { isShared = row.memberId === null, position, ...fields }: Change,
): Promise<store.ViewRow> {
  const moves = isShared !== (row.memberId === null)
  const memberId = moves ? (isShared ? null : caller) : row.memberId
  const others = moves || position !== undefined ? await store.lockViewsOf(tx, customerId, memberId) : []
  if (moves) withRoom(others, memberId)
  const changed = { ...row, ...defined(fields), memberId }
  if (await store.isNamed(tx, customerId, changed)) throw exists(changed)
  const { name, query, isPinned } = changed
  const last = others.filter(({ path }) => path === row.path).length
  const values = { memberId, name, query, isPinned, ...(moves ? { position: last } : {}) }
  // A concurrent change may have taken the name since the check.
  const after = await store.setView(tx, customerId, row.id, values).catch((error) => {
    throw errorCode(error) === '23505' ? exists(changed) : error
  })
  if (position === undefined) return after
  const siblings = [...others.filter(({ id }) => id !== row.id), after].filter(
    ({ path }) => path === row.path,
  )
  const sortedIds = placed(
    siblings.map(({ id }) => id),
    row.id,
    position,
  )
  for (const [index, id] of sortedIds.entries()) await store.setView(tx, customerId, id, { position: index })
  return { ...after, position: sortedIds.indexOf(row.id) }
}

/** Records changes of shared views in the audit log. A member's private views are not recorded. */
export async function record(
  tx: Transaction,
  caller: Caller,
  { before, after }: { before?: store.ViewRow; after?: store.ViewRow },
  requestId: string,
): Promise<void> {
  const [was, is] = [before?.memberId === null, after?.memberId === null]
  if ((!was && !is) || isDeepStrictEqual(before, after)) return
  const action = !was ? 'view.shared' : is ? 'view.changed' : after ? 'view.taken-back' : 'view.removed'
  const { id: subject, name, path, query } = (after ?? before) as store.ViewRow
  const details = { name, path, query }
  await recordAudit(tx, caller.customerId, { action, subject, actor: actorOf(caller), requestId, details })
}

function withRoom(views: store.ViewRow[], memberId: string | null): store.ViewRow[] {
  if (views.length < MAX_VIEWS) return views
  const whose = memberId === null ? 'shared views' : 'views of your own'
  throw new Problem(
    'views_full',
    `There are ${MAX_VIEWS} ${whose}, and no more can be saved. Remove one that is not needed.`,
  )
}

function exists({ name, memberId }: Pick<store.ViewRow, 'name' | 'memberId'>): Problem {
  const whose = memberId === null ? 'A shared view' : 'One of your views'
  return new Problem('view_exists', `${whose} is called “${name}” already. Choose another name.`)
}

function defined<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}
