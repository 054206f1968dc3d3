import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  foreignKey,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { createdAt, customerId, key } from './columns.ts'
import { members } from './customers.ts'

/** Named view of a list: of one member, or shared by the customer. */
export const savedViews = pgTable(
  'saved_views',
  {
    customerId: customerId(),
    id: key('id').notNull(),
    /** Owner of the view; null: shared by all members of the customer. */
    memberId: key('member_id'),
    name: text('name').notNull(),
    /** Screen, with the query parameters that its contract reads, without a question mark. */
    path: text('path').notNull(),
    query: text('query').notNull(),
    isPinned: boolean('is_pinned').notNull(),
    /** Position among views of the same owner and screen; equal ones are in the order of creation. */
    position: integer('position').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    foreignKey({ columns: [t.customerId, t.memberId], foreignColumns: [members.customerId, members.id] }),
    uniqueIndex('saved_views_own_name')
      .on(t.customerId, t.memberId, sql`folded(${t.name})`)
      .where(sql`${t.memberId} IS NOT NULL`),
    uniqueIndex('saved_views_shared_name')
      .on(t.customerId, sql`folded(${t.name})`)
      .where(sql`${t.memberId} IS NULL`),
    check('saved_views_position', sql`${t.position} >= 0`),
  ],
)

/** Columns of a list that a member sees, in order; by default the usual ones. */
export const listColumns = pgTable(
  'list_columns',
  {
    customerId: customerId(),
    memberId: key('member_id').notNull(),
    list: text('list').notNull(),
    columns: text('columns').array().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.memberId, t.list] }),
    foreignKey({ columns: [t.customerId, t.memberId], foreignColumns: [members.customerId, members.id] }),
  ],
)
