import type { View } from './contract.ts'
import type { ViewPath } from './rules.ts'
import type { ViewRow } from './store.ts'

/**
 * @param who whether they are an Admin, who changes shared views
 * @param baseUrl the console's public address, without a trailing slash
 */
export function serializeView(
  row: ViewRow,
  who: { isAdmin: boolean; isPerson: boolean },
  baseUrl: string,
): View {
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
