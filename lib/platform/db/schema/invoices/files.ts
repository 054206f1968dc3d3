import { sql } from 'drizzle-orm'
import { check, foreignKey, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { bytea, createdAt, customerId, key } from '../columns.ts'
import { invoices } from './invoices.ts'

/** The documents of an invoice, byte for byte as they were first made or came in; never written over. */
export const invoiceFiles = pgTable(
  'invoice_files',
  {
    customerId: customerId(),
    invoiceId: key('invoice_id').notNull(),
    /** Drawn by us, or the issuer's own as PDF or XML. */
    kind: key('kind').notNull(),
    /** Of the issuer's own, the name that it came with. */
    name: text('name'),
    /** SHA-256 of the bytes, in hexadecimal digits. */
    digest: text('digest').notNull(),
    bytes: bytea('bytes').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.invoiceId, t.kind] }),
    foreignKey({
      columns: [t.customerId, t.invoiceId],
      foreignColumns: [invoices.customerId, invoices.id],
    }).onDelete('cascade'),
    check('invoice_files_kind', sql`${t.kind} in ('drawn', 'original-pdf', 'original-xml')`),
  ],
)
