import type { RenewalFeed } from './contract.ts'
import type { FeedRow } from './store.ts'

export function serializeFeed(row: FeedRow | undefined): RenewalFeed {
  if (!row) return { isOn: false }
  const { lastFour, madeAt, lastReadAt } = row
  return {
    isOn: true,
    hint: maskedSecret(lastFour),
    createTime: madeAt.getTime(),
    ...(lastReadAt ? { lastReadTime: lastReadAt.getTime() } : {}),
  }
}

/** Returns the part of a secret that may be shown. */
export function maskedSecret(lastFour: string): string {
  return `cal_…${lastFour}`
}
