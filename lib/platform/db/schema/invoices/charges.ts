import { sql } from 'drizzle-orm'
import {
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { createdAt, customerId, decimal, key, time } from '../columns.ts'
import { imports } from '../imports.ts'

/** Sums of the charges that result in one line; amounts are decimal text. */
export type LineSum = {
  detail: string | null
  from: number
  count: number
  amount: string
  corrections: { count: number; amount: string }
  categories: [category: string, count: number, amount: string][]
}

/**
 * Charges of one bill, as one import brought them. A bill is identified by issuer and number instead of its row,
 * because its charges may be imported first. They explain the bill and never change the amount due.
 */
export const chargeSets = pgTable(
  'charge_sets',
  {
    customerId: customerId(),
    id: key('id').notNull(),
    issuer: key('issuer').notNull(),
    number: key('number').notNull(),
    currency: text('currency').notNull(),
    count: integer('count').notNull(),
    amount: decimal('amount').notNull(),
    /** Digest that is equal for the same charges in any order and number of files. */
    digest: text('digest').notNull(),
    /** Lines in the order of the charges, grouped by line. Read and written as a whole. */
    lines: jsonb('lines').$type<LineSum[]>().notNull(),
    /** Null: from another customer that was merged into this one, whose imports stay with its history. */
    importId: key('import_id'),
    /** Import that replaced them; null: current. */
    replacedBy: key('replaced_by'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    uniqueIndex('charge_sets_bill').on(t.customerId, t.issuer, t.number).where(sql`${t.replacedBy} IS NULL`),
    index('charge_sets_import').on(t.customerId, t.importId),
    index('charge_sets_replaced').on(t.customerId, t.replacedBy).where(sql`${t.replacedBy} IS NOT NULL`),
    foreignKey({ columns: [t.customerId, t.importId], foreignColumns: [imports.customerId, imports.id] }),
    foreignKey({ columns: [t.customerId, t.replacedBy], foreignColumns: [imports.customerId, imports.id] }),
  ],
)

/** Charge as reported by the vendor. Its place is its position on the screen: by line, the most expensive first. */
export const charges = pgTable(
  'charges',
  {
    customerId: customerId(),
    setId: key('set_id').notNull(),
    position: integer('position').notNull(),
    /** Vendor's id of the line that the charge results in. */
    detail: text('detail'),
    category: text('category').notNull(),
    /** `Correction` for a correction of an earlier bill. */
    class: text('class'),
    service: text('service').notNull(),
    description: text('description'),
    periodStart: time('period_start'),
    /** End of the period, exclusive. */
    periodEnd: time('period_end'),
    billingAccount: text('billing_account').notNull(),
    subAccount: text('sub_account'),
    quantity: decimal('quantity'),
    unit: text('unit'),
    billedCost: decimal('billed_cost').notNull(),
    /** Tags that the operator has selected. */
    tags: jsonb('tags').$type<Record<string, string>>(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.setId, t.position] }),
    foreignKey({
      columns: [t.customerId, t.setId],
      foreignColumns: [chargeSets.customerId, chargeSets.id],
    }).onDelete('cascade'),
  ],
)
