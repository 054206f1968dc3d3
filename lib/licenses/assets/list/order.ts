import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { assets } from '#lib/platform/db/schema/assets.ts'
import { byCreation, type KeyColumn } from '#lib/platform/lists/keyset.ts'
import type { Order } from '#lib/platform/lists/order.ts'
import { TimeKey } from '#lib/platform/lists/page-token.ts'
import { folded } from '#lib/platform/lists/search.ts'
import type { AssetOrderKey } from '../rules.ts'

export type AssetOrder = Order<AssetOrderKey>

const CREATION = byCreation(assets.createdAt, assets.id)

const Id = z
  .string()
  .max(300)
  .regex(/^[^\0]+$/)
const Name = z
  .string()
  .max(400)
  .regex(/^[^\0]*$/)
const Whole = z.string().regex(/^-?\d{1,18}$/)

/** Beyond whatever a row has: in microseconds, some thirty thousand years; and more than that is no license. */
const BEYOND = 999_999_999_999_999_999n

/** What has no such value comes last, whichever way the list runs. */
const whole = (value: SQL, ascending: boolean) =>
  sql`coalesce(${value}, ${sql.raw(String(ascending ? BEYOND : -BEYOND))}::bigint)`

const { seatsPurchased, seatsAssigned } = assets

type Sort = { column: SQL; read: (text: string) => SQL; Part: z.ZodType<string> }
const asWhole = (column: SQL): Sort => ({ column, read: (text) => sql`${text}::bigint`, Part: Whole })

const SORTS: Record<Exclude<AssetOrderKey, 'created'>, (ascending: boolean) => Sort> = {
  // As searches compare names; a page token holds that much of one.
  name: () => ({
    column: sql`(left(${folded(assets.name)}, 200) COLLATE "C")`,
    read: (text) => sql`${text}::text`,
    Part: Name,
  }),
  renewal: (ascending) =>
    asWhole(whole(sql`(extract(epoch from ${assets.commitmentEnd}) * 1000000)::bigint`, ascending)),
  idle: (ascending) =>
    asWhole(
      whole(sql`(greatest(${seatsPurchased}, ${seatsAssigned}) - ${seatsAssigned})::bigint`, ascending),
    ),
}

/**
 * How the rows of an order lie: its sort key, which way it runs, and what a page token may hold of it. `sort` is the key's
 * first part as text; absent where that is the time of creation, which each row has at hand.
 */
export function keysetOf(order: AssetOrder = 'created desc') {
  const [by, direction] = order.split(' ') as [AssetOrderKey, 'asc' | 'desc']
  const ascending = direction === 'asc'
  if (by === 'created') return { columns: CREATION.columns, ascending, Key: TimeKey, sort: undefined }
  const { column, read, Part } = SORTS[by](ascending)
  const columns: KeyColumn[] = [{ column, read }, { column: assets.id }]
  return { columns, ascending, Key: z.tuple([Part, Id]), sort: sql<string>`${column}::text` }
}

/** The time of creation, in microseconds, as page tokens have it. */
export const { micros } = CREATION
