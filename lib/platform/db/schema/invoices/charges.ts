import { sql } from 'drizzle-orm'
import {
  foreignKey,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { createdAt, customerId, key, time } from '../columns.ts'
import { imports } from '../imports.ts'

/** What the charges come to that lead to one line; amounts are decimal text. */
type LineSum = {
  detail: string | null
  from: number
  count: number
  amount: string
  corrections: { count: number; amount: string }
  categories: [category: string, count: number, amount: string][]
}

/**
 * The charges of one bill, as one import brought them. A bill is known by issuer and number, and not by its row, for its
 * charges may come first. They explain it, and nothing of what is owed follows from them.
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
    amount: numeric('amount').notNull(),
    /** The same for the same charges, in whatever order and however many files they came. */
    digest: text('digest').notNull(),
    /** In the order of the charges, those of a line together. Read and written whole. */
    lines: jsonb('lines').$type<LineSum[]>().notNull(),
    /** Null: another customer was merged into this one, whose imports stay with its history. */
    importId: key('import_id'),
    /** The import that brought others in their place; null: these hold. */
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

/** One charge, as the vendor has it. Its place is that in which it is shown: by line, the dearest first. */
export const charges = pgTable(
  'charges',
  {
    customerId: customerId(),
    setId: key('set_id').notNull(),
    position: integer('position').notNull(),
    /** The vendor's id of the line that it leads to. */
    detail: text('detail'),
    category: text('category').notNull(),
    /** `Correction` where it corrects what was billed before. */
    class: text('class'),
    service: text('service').notNull(),
    description: text('description'),
    periodStart: time('period_start'),
    /** Exclusive. */
    periodEnd: time('period_end'),
    billingAccount: text('billing_account').notNull(),
    subAccount: text('sub_account'),
    quantity: numeric('quantity'),
    unit: text('unit'),
    billedCost: numeric('billed_cost').notNull(),
    /** Those that the operator has chosen. */
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
