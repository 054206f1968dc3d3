import 'server-only'
import type { GroupRow } from '#lib/identity/scim/store.ts'
import type { listTokens } from '#lib/identity/scim/tokens.ts'
import type { Group, Token } from './contract.ts'

type TokenRow = Awaited<ReturnType<typeof listTokens>>[number]

/** @param now in milliseconds since 1970 */
export function serializeToken(row: TokenRow, now = Date.now()): Token {
  const { id, name, lastFour, roles, createdAt, expiresAt, revokedAt, lastUsedAt } = row
  const isOver = expiresAt !== null && expiresAt.getTime() <= now
  return {
    ...{ id, name, hint: `scim_…${lastFour}`, roles: roles as Token['roles'] },
    status: revokedAt ? 'REVOKED' : isOver ? 'EXPIRED' : 'ACTIVE',
    createTime: createdAt.getTime(),
    ...(expiresAt ? { expireTime: expiresAt.getTime() } : {}),
    ...(lastUsedAt ? { lastUseTime: lastUsedAt.getTime() } : {}),
  }
}

export function serializeGroup(row: GroupRow, members: number): Group {
  const { id, displayName: name, roles, billingProfiles } = row
  return { id, name, members, isMapped: roles !== null, roles: roles ?? [], billingProfiles }
}
