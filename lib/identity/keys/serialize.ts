import 'server-only'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Key } from './contract.ts'
import type { KeyRow } from './rows.ts'

export function serializeKey(row: KeyRow, { via, id }: Pick<Caller, 'via' | 'id'>): Key {
  const { issuedBy, issuerName, issuerEmail, billingProfiles, addresses, lastUsedAddress, replacedBy } = row
  return {
    id: row.id,
    name: row.name,
    hint: `${row.prefix}…${row.lastFour}`,
    status: row.status,
    roles: row.roles,
    ...(billingProfiles ? { billingProfiles } : {}),
    owner: row.owner,
    ...(issuedBy ? { issuer: { id: issuedBy, name: issuerName ?? '', email: issuerEmail ?? '' } } : {}),
    ...(addresses ? { addresses } : {}),
    createTime: row.createdAt.getTime(),
    ...timeOf('expireTime', row.expiresAt),
    ...timeOf('revokeTime', row.revokedAt),
    ...timeOf('lastUseTime', row.lastUsedAt),
    ...(lastUsedAddress ? { lastUseAddress: lastUsedAddress } : {}),
    isUnused: row.isUnused,
    ...(replacedBy ? { replacedBy } : {}),
    isCurrent: via === 'key' && row.id === id,
  }
}

function timeOf<Name extends string>(name: Name, at: Date | null): { [N in Name]?: number } {
  return (at ? { [name]: at.getTime() } : {}) as { [N in Name]?: number }
}
