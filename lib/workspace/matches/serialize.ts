import type { AssetRow } from '#lib/licenses/assets/store.ts'
import type { Matches } from './contract.ts'

type FoundAsset = Matches['assets'][number]

export function serializeAsset({ id, type, name, customerDomain, seatsPurchased }: AssetRow): FoundAsset {
  return {
    id,
    type,
    name,
    ...(customerDomain ? { customerDomain } : {}),
    ...(seatsPurchased === null ? {} : { quantity: seatsPurchased }),
  }
}
