import { sql } from 'drizzle-orm'
import {
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { assets } from './assets.ts'
import { createdAt, customerId, key, time } from './columns.ts'
import { members } from './customers.ts'

/** What people ordered for the next term of commitment plans, and what became of it. */
export const renewalOrders = pgTable(
  'renewal_orders',
  {
    customerId: customerId(),
    id: key('id').notNull(),
    assetId: key('asset_id').notNull(),
    /** The total of the next term; null where one of the vendor's own ways to renew was ordered. */
    toQuantity: integer('to_quantity'),
    renewalType: text('renewal_type'),
    /** What the vendor would have done by itself, or had scheduled: said again where the order is taken back. */
    formerType: text('former_type'),
    formerQuantity: integer('former_quantity'),
    /** Of the orders whose place it took, what the vendor may still have. */
    heldType: text('held_type'),
    heldQuantity: integer('held_quantity'),
    /** The subscription that it is for; null in books of our own. */
    vendorSubscriptionId: key('vendor_subscription_id'),
    /** Until then a statement whose answer was lost may still be done there. */
    unclearUntil: time('unclear_until'),
    /** When the term ends for which it was ordered; it follows the asset's while the term lasts. */
    termEnd: time('term_end').notNull(),
    /** STANDING until the term has ended or somebody takes it back; see `rules.ts` of its noun for the others. */
    state: text('state').notNull(),
    /** When whoever keeps the books had it; null: they are still to be told. */
    placedAt: time('placed_at'),
    /** The asset's seat version then: where it moved since, a change of the licenses may have deleted the order there. */
    placedVersion: integer('placed_version'),
    /** Since when it is to be taken away at its vendor, and who wants that. */
    takenBackAt: time('taken_back_at'),
    takenBackByKind: text('taken_back_by_kind'),
    takenBackById: text('taken_back_by_id'),
    takenBackByName: text('taken_back_by_name'),
    /** Why it does not stand at its vendor yet, or what came of it. */
    reason: text('reason'),
    /** The order that took its place. */
    replacedBy: key('replaced_by'),
    /** How often the vendor was told since it had it last. */
    tries: integer('tries').notNull().default(0),
    /** When somebody looks at it next. */
    nextLookAt: time('next_look_at').notNull().default(sql`now()`),
    /** When whoever ordered it was told by mail that its time comes. */
    toldAt: time('told_at'),
    actorKind: text('actor_kind').notNull(),
    actorId: text('actor_id').notNull(),
    actorName: text('actor_name').notNull(),
    requestId: text('request_id').notNull(),
    createdAt: createdAt(),
    settledAt: time('settled_at'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    // One order per asset, whatever races.
    uniqueIndex('renewal_orders_standing').on(t.customerId, t.assetId).where(sql`${t.state} = 'STANDING'`),
    index('renewal_orders_newest').on(t.customerId, t.assetId, t.createdAt),
    // Those that somebody has to look at, of all customers.
    index('renewal_orders_due').on(t.customerId, t.nextLookAt).where(sql`${t.state} = 'STANDING'`),
    foreignKey({ columns: [t.customerId, t.assetId], foreignColumns: [assets.customerId, assets.id] }),
    check(
      'renewal_orders_state',
      sql`${t.state} in ('STANDING', 'APPLIED', 'REJECTED', 'WITHDRAWN', 'REPLACED', 'LOST')`,
    ),
    check('renewal_orders_settled', sql`(${t.settledAt} is null) = (${t.state} = 'STANDING')`),
    check('renewal_orders_one', sql`num_nonnulls(${t.toQuantity}, ${t.renewalType}) = 1`),
    check('renewal_orders_quantity', sql`${t.toQuantity} >= 0`),
    check(
      'renewal_orders_taken_back',
      sql`num_nonnulls(${t.takenBackAt}, ${t.takenBackByKind}, ${t.takenBackById}, ${t.takenBackByName}) in (0, 4)`,
    ),
  ],
)

/** The private link of a member's calendar: one for each. */
export const calendarFeeds = pgTable(
  'calendar_feeds',
  {
    customerId: customerId(),
    memberId: key('member_id').notNull(),
    /** Of the secret in the link, which is kept nowhere. */
    digest: key('digest').notNull(),
    lastFour: text('last_four').notNull(),
    madeAt: time('made_at').notNull().defaultNow(),
    /** To the minute. */
    lastReadAt: time('last_read_at'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.memberId] }),
    foreignKey({ columns: [t.customerId, t.memberId], foreignColumns: [members.customerId, members.id] }),
    // For the release before, which looks digests up here; a later one drops it.
    index('calendar_feeds_by_digest').on(t.digest).concurrently(),
  ],
)
