import { sql } from 'drizzle-orm'
import { check, foreignKey, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { createdAt, customerId, key, time } from './columns.ts'
import { customers } from './customers.ts'

/** Import of one or more files for one customer. Parts of one run for several customers share the id. */
export const imports = pgTable(
  'imports',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    kind: text('kind').notNull(),
    /** Name, size in bytes and SHA-256 of each file. */
    files: jsonb('files').notNull(),
    /** Report of the run, as data. */
    report: jsonb('report').notNull(),
    createdAt: createdAt(),
    undoneAt: time('undone_at'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    index('imports_newest').on(t.customerId, t.createdAt, t.id),
    check('imports_kind', sql`${t.kind} in ('focus', 'invoices', 'assets')`),
  ],
)

/** Previous values of an existing invoice that an import changed, for its undo. */
export const importChanges = pgTable(
  'import_changes',
  {
    customerId: customerId(),
    importId: key('import_id').notNull(),
    position: integer('position').notNull(),
    invoiceId: key('invoice_id').notNull(),
    /** Previous values of the changed fields; for a draft, its lines as well. */
    before: jsonb('before').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.importId, t.position] }),
    index('import_changes_invoice').on(t.customerId, t.invoiceId),
    foreignKey({
      columns: [t.customerId, t.importId],
      foreignColumns: [imports.customerId, imports.id],
    }),
  ],
)
