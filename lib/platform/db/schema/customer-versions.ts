import { bigint, customType, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { customerId } from './columns.ts'

const transactionId = customType<{ data: string }>({ dataType: () => 'xid8' })

/**
 * Version of each customer's rows: a random number that each transaction which writes rows of the customer replaces
 * right before its COMMIT. Random, not counted, so that no version returns after a backup was restored. Cached answers
 * are valid for one version.
 */
export const customerVersions = pgTable('customer_versions', {
  customerId: customerId().primaryKey(),
  version: bigint('version', { mode: 'bigint' }).notNull(),
  /** Version that the last license write set; null: there was none. */
  licenseVersion: bigint('license_version', { mode: 'bigint' }),
  /** Version before that write and the license writes directly before it. Valid while `version` is `licenseVersion`. */
  versionWithoutLicenses: bigint('version_without_licenses', { mode: 'bigint' }),
})

/**
 * Writing transactions of processes of the previous release, which replace no version, by customer. Their number is part
 * of the version. To be dropped with `enter_to_write` by the next release.
 */
export const unversionedWrites = pgTable(
  'unversioned_writes',
  { customerId: customerId(), transaction: transactionId('transaction').notNull() },
  (t) => [primaryKey({ columns: [t.customerId, t.transaction] })],
)
