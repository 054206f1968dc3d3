import { integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { createdAt, customerId, key, localityColumns } from '../columns.ts'
import { customers } from '../customers.ts'

/**
 * Who sends a customer's invoices, with what the paper says of them. An invoice names its issuer by name, as that was
 * first written.
 */
export const issuers = pgTable(
  'issuers',
  {
    customerId: customerId().references(() => customers.id),
    name: key('name').notNull(),
    /** One line of the address per line. */
    address: text('address'),
    ...localityColumns(),
    taxId: text('tax_id'),
    /** In its country's register of companies. */
    registration: text('registration'),
    bank: text('bank'),
    iban: text('iban'),
    bic: text('bic'),
    /** Of a bank without IBAN: account and routing number, in one line. */
    account: text('account'),
    /** What was agreed on payment, in words. */
    terms: text('terms'),
    /**
     * The name as it is compared (`issuerKey`). Two rows may have the same: both names were there before names were
     * compared. Null until the next import.
     */
    folded: key('folded'),
    /** The name of the issuer that this one is, too, as an operator says. */
    sameAs: key('same_as'),
    /** Names of issuers that this one is not, as an operator says, although they bill the same accounts or numbers. */
    otherThan: text('other_than').array(),
    /** How many days after its period a summary without the issuer's number stays a draft; null: the usual number. */
    graceDays: integer('grace_days'),
    /** What becomes of such a summary after that; null: what is usual. */
    unbilled: text('unbilled', { enum: ['draft', 'issue'] }),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.customerId, t.name] })],
)

/**
 * Who sells and who buys, as it stood when an invoice arrived. Rows are only added: invoices point to them, and an
 * edit of today's settings changes none.
 */
export const parties = pgTable(
  'parties',
  {
    customerId: customerId().references(() => customers.id),
    /** A digest of the content, so that many invoices share one row. */
    id: key('id').notNull(),
    content: jsonb('content').$type<Record<string, string>>().notNull(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.customerId, t.id] })],
)
