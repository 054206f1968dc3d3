import type { TestDatabase } from '#lib/platform/db/test-database.ts'
import type { Written } from '../fakes/vendors/store.ts'
import { requestIdOf } from './requests.ts'
import { CUSTOMER, type Seed, type Stage } from './stage.ts'

// Our license changes and the vendor's writes, matched by the ids of the PATCHes.

/** A license change. Times are epoch milliseconds. */
export type Change = {
  asset_id: string
  state: string
  from_quantity: number
  to_quantity: number
  reason: string | null
  began: number
  settled: number | null
  asks: string[]
}

/** Returns all license changes, each with the ids of the PATCHes that caused it. */
export async function changesIn(database: TestDatabase): Promise<Change[]> {
  const query = `SELECT asset_id, state, from_quantity, to_quantity, vendor_reason AS reason,
      (extract(epoch FROM created_at) * 1000)::float8 AS began,
      (extract(epoch FROM settled_at) * 1000)::float8 AS settled, request_id || coalesce((
      SELECT array_agg(request_id) FROM audit_events
      WHERE subject = license_changes.id AND action = 'license-change.resent'), '{}') AS asks
    FROM license_changes`
  return (await database.sql(CUSTOMER, query)) as Change[]
}

/** Returns the writes to a subscription at the vendor, in order; `requestId` is the PATCH that caused it. */
export function writesOf(stage: Stage, seed: Seed): (Written & { requestId: string | undefined })[] {
  const fake = stage.fakeOf(seed)
  const seedWrites = fake.writes.filter(({ subscriptionId }) => subscriptionId === seed.id)
  return seedWrites.map((written) => ({ ...written, requestId: requestIdOf(fake.callOf(written)) }))
}
