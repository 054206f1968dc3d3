import { integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { createdAt, customerId, key, localityColumns } from '../columns.ts'
import { customers } from '../customers.ts'

/**
 * Issuers of a customer's invoices, with their details on the documents. Invoices refer to an issuer by its name as
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
    /** Payment terms as text. */
    terms: text('terms'),
    /** Template of the address where an invoice can be paid; https only. */
    paymentUrl: text('payment_url'),
    /**
     * The name as it is compared (`issuerKey`). Two rows may have the same: both names were there before names were
     * compared. Null until the next import.
     */
    folded: key('folded'),
    /** Name of the issuer of which this one is an alias, as declared by an operator. */
    sameAs: key('same_as'),
    /**
     * Names of issuers that are different from this one, as declared by an operator, although they bill the same
     * accounts or numbers.
     */
    otherThan: text('other_than').array(),
    /** How many days after its period a summary without the issuer's number stays a draft; null: the usual number. */
    graceDays: integer('grace_days'),
    /** Handling of such a summary afterwards; null: the default. */
    unbilled: text('unbilled', { enum: ['draft', 'issue'] }),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.customerId, t.name] })],
)

/**
 * Sellers and buyers at the time of an import. Rows are append-only: invoices refer to them, and changed settings don't
 * affect existing rows.
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
