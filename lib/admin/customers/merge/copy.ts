import type { OwnersWork } from '#lib/server/pruning/as-owner.ts'
import type { Merge } from './prepare.ts'

/** Rows of one table that a merge copies to the target customer. SQL refers to the source row as `s`. */
type TableCopy = {
  table: string
  /** SQL of the columns whose values change. */
  set?: Record<string, string>
  /** Condition on the rows; all rows by default. */
  where?: string
  /** Leaves rows unchanged that the target customer already has. */
  skipExisting?: boolean
  /** Table or temporary table to read from; `table` by default. */
  source?: string
}

const PROFILE = '(SELECT p.new_id FROM going_profiles p WHERE p.id = s.billing_profile_id)'
/**
 * Access to all billing profiles of the source customer (NULL) becomes access to exactly these profiles, and not to the
 * target customer's other profiles.
 */
const PROFILES = `ARRAY(SELECT p.new_id FROM going_profiles p
  WHERE s.billing_profiles IS NULL OR p.id = ANY (s.billing_profiles) ORDER BY 1)`
const EXISTING_RECIPIENT = `EXISTS (SELECT FROM notice_recipients o
  WHERE o.customer_id = $2 AND o.customer_id <> s.customer_id AND lower(o.email) = lower(s.email))`

/**
 * All copied tables, sorted by foreign keys. Records of imports and sent mails stay with the source customer, next to its
 * audit events.
 */
const TABLE_COPIES: readonly TableCopy[] = [
  { table: 'billing_profiles', set: { id: '(SELECT p.new_id FROM going_profiles p WHERE p.id = s.id)' } },
  { table: 'issuers', skipExisting: true },
  { table: 'parties', skipExisting: true },
  {
    table: 'members',
    set: { billing_profiles: PROFILES, disabled_at: 'NULL' },
    where: 's.id IN (SELECT id FROM going_members)',
  },
  { table: 'api_keys', source: 'going_keys', set: { billing_profiles: PROFILES } },
  {
    table: 'vendor_subscriptions',
    set: {
      released_at: 'CASE WHEN s.id IN (SELECT id FROM going_subscriptions) THEN NULL ELSE s.released_at END',
      next_read_at: 'CASE WHEN s.id IN (SELECT id FROM going_subscriptions) THEN now() END',
    },
  },
  { table: 'assets' },
  { table: 'seat_readings' },
  { table: 'license_changes' },
  { table: 'renewal_orders' },
  { table: 'renewal_requests' },
  { table: 'license_change_attempts' },
  { table: 'invoices', set: { billing_profile_id: PROFILE, import_id: 'NULL' } },
  { table: 'line_items' },
  { table: 'line_prices' },
  // If both customers have the charges of a bill, the target customer's stay.
  { table: 'charge_sets', set: { import_id: 'NULL' }, where: 's.replaced_by IS NULL', skipExisting: true },
  {
    table: 'charges',
    where: 'EXISTS (SELECT FROM charge_sets o WHERE o.customer_id = $2 AND o.id = s.set_id)',
  },
  { table: 'invoice_files' },
  {
    table: 'payments',
    set: {
      reference: `CASE WHEN EXISTS (SELECT FROM payments o WHERE o.customer_id = $2 AND o.reference = s.reference)
        THEN s.reference || '~' || s.customer_id ELSE s.reference END`,
    },
  },
  { table: 'payment_entries' },
  { table: 'notice_recipients', where: `NOT ${EXISTING_RECIPIENT}` },
]

/** Copies the rows of the source customer to the target customer. Triggers update the sums of both customers. */
export async function copyAll(owner: OwnersWork, merge: Merge): Promise<void> {
  // Invoices are copied with their payments: otherwise triggers would record them a second time.
  await owner.write("SET LOCAL console.payments = 'copied'")
  for (const copy of TABLE_COPIES) await copyRows(owner, merge, copy)
  // Amounts that the backfill of the source customer has not recorded yet.
  await owner.query(
    `SELECT fill_payments($1, '', (SELECT count(*)::int FROM invoices WHERE customer_id = $1))
     FROM backfills WHERE name = 'payments' AND finished_at IS NULL`,
    [merge.into],
  )
  await owner.write('SET LOCAL console.payments = DEFAULT')
  await updateCredentialIndex(owner, merge)
  await moveFactors(owner, merge)
  await copySubscriptions(owner, merge)
}

/** Copies rows of one table with all of its columns except generated ones. */
async function copyRows({ query, write }: OwnersWork, { from, into }: Merge, copy: TableCopy): Promise<void> {
  const { table, set = {}, where = 'true', skipExisting = false, source = table } = copy
  const columns = await query<{ name: string }>(
    `SELECT quote_ident(attname) AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0
       AND NOT attisdropped AND attgenerated = '' AND attname <> 'customer_id' ORDER BY attnum`,
    [table],
  )
  const names = columns.map(({ name }) => name)
  const values = names.map((name) => set[name] ?? `s.${name}`)
  await write(
    `INSERT INTO ${table} (customer_id, ${names.join(', ')})
     SELECT $2::text, ${values.join(', ')} FROM ${source} s WHERE s.customer_id = $1 AND ${where}
     ${skipExisting ? 'ON CONFLICT DO NOTHING' : ''}`,
    [from, into],
  )
}

/** Adds the target customer's keys and e-mail addresses to the credential index. */
async function updateCredentialIndex({ write }: OwnersWork, { into }: Merge): Promise<void> {
  await write(
    `INSERT INTO look_ups (kind, digest, customer_id, id)
     SELECT 'key', digest, customer_id, id FROM api_keys WHERE customer_id = $1
     UNION ALL SELECT 'address', address_digest(email), customer_id, id FROM members WHERE customer_id = $1
     ON CONFLICT (kind, digest, customer_id) DO NOTHING`,
    [into],
  )
}

/**
 * Moves second factors that are valid only at the source customer to the target customer, for the copied members:
 * otherwise they could sign in without a second factor.
 */
async function moveFactors({ write }: OwnersWork, { from, into }: Merge): Promise<void> {
  for (const table of ['second_factors', 'recovery_codes'])
    await write(
      `UPDATE ${table} SET reach = $2 WHERE reach = $1 AND person_id IN (
         SELECT m.person_id FROM members m JOIN going_members g ON g.id = m.id WHERE m.customer_id = $1)`,
      [from, into],
    )
}

/** Copies notice subscriptions to recipients with an equal address at the target customer. Stopped notices stay stopped. */
async function copySubscriptions({ write }: OwnersWork, { from, into }: Merge): Promise<void> {
  const sameAddress = `a.customer_id = $1 AND b.customer_id = $2 AND lower(a.email) = lower(b.email)`
  await write(
    `UPDATE notice_recipients b SET
       stopped = ARRAY(SELECT DISTINCT unnest(a.stopped || b.stopped) ORDER BY 1),
       licenses_since = CASE WHEN a.licenses_since IS NULL THEN b.licenses_since ELSE coalesce(b.licenses_since, now()) END,
       needs_since = CASE WHEN a.needs_since IS NULL THEN b.needs_since ELSE coalesce(b.needs_since, now()) END
     FROM notice_recipients a WHERE ${sameAddress}`,
    [from, into],
  )
  await write(
    `INSERT INTO notice_subscriptions (customer_id, recipient_id, billing_profile_id, kinds, attaches_pdf, since)
     SELECT $2::text, b.id, ${PROFILE}, s.kinds, s.attaches_pdf, now()
     FROM notice_subscriptions s
     JOIN notice_recipients a ON a.customer_id = s.customer_id AND a.id = s.recipient_id
     JOIN notice_recipients b ON ${sameAddress}
     WHERE s.customer_id = $1`,
    [from, into],
  )
}
