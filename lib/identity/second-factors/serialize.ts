import type { FactorRow } from '#lib/identity/access/factors/store.ts'
import type { SecondFactor } from './contract.ts'

export function serializeFactor(row: FactorRow): SecondFactor {
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
