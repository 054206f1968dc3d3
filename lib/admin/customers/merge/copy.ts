import type { OwnersWork } from '#lib/server/pruning/as-owner.ts'
import type { Merge } from './prepare.ts'

type Copy = {
  table: string
  /** Columns that become others, in SQL of the row `s`. */
  set?: Record<string, string>
  /** Which rows; all, if it is left out. */
  where?: string
  /** Whether a row that the other customer already has is left unchanged. */
  isShared?: boolean
  /** Name of the source table, if it differs. */
  source?: string
}

const PROFILE = '(SELECT p.new_id FROM going_profiles p WHERE p.id = s.billing_profile_id)'
/**
 * Access to all billing profiles of a customer becomes access to those profiles, and not to all of the other
 * customer's.
 */
const PROFILES = `ARRAY(SELECT p.new_id FROM going_profiles p
  WHERE s.billing_profiles IS NULL OR p.id = ANY (s.billing_profiles) ORDER BY 1)`
const EXISTING_RECIPIENT = `EXISTS (SELECT FROM notice_recipients o
  WHERE o.customer_id = $2 AND o.customer_id <> s.customer_id AND lower(o.email) = lower(s.email))`

/** Sorted by foreign keys. Import changes and sent mails stay with the history. */
const COPIES: readonly Copy[] = [
  { table: 'billing_profiles', set: { id: '(SELECT p.new_id FROM going_profiles p WHERE p.id = s.id)' } },
  { table: 'issuers', isShared: true },
  { table: 'parties', isShared: true },
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
  // Of one bill, the charges of the other customer hold.
  { table: 'charge_sets', set: { import_id: 'NULL' }, where: 's.replaced_by IS NULL', isShared: true },
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

/** Copies the rows of one customer to another one. Effects of both, such as a trigger's sums, follow by themselves. */
export async function copyAll(owner: OwnersWork, merge: Merge): Promise<void> {
  // Invoices are copied with their payments: otherwise triggers would record them a second time.
  await owner.write("SET LOCAL console.payments = 'copied'")
  for (const copy of COPIES) await copyRows(owner, merge, copy)
  await owner.write('SET LOCAL console.payments = DEFAULT')
  await updateCredentialIndex(owner, merge)
  await moveFactors(owner, merge)
  await copySubscriptions(owner, merge)
}

async function copyRows({ query, write }: OwnersWork, { from, into }: Merge, copy: Copy): Promise<void> {
  const { table, set = {}, where = 'true', isShared = false, source = table } = copy
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
     ${isShared ? 'ON CONFLICT DO NOTHING' : ''}`,
    [from, into],
  )
}

/** Adds the other customer's new keys and addresses to the credential index. */
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
 * Moves second factors that are valid only at the first customer to the other one, for the members who move: none of
 * them signs in without a second factor.
 */
async function moveFactors({ write }: OwnersWork, { from, into }: Merge): Promise<void> {
  for (const table of ['second_factors', 'recovery_codes'])
    await write(
      `UPDATE ${table} SET reach = $2 WHERE reach = $1 AND person_id IN (
         SELECT m.person_id FROM members m JOIN going_members g ON g.id = m.id WHERE m.customer_id = $1)`,
      [from, into],
    )
}

/** Copies subscriptions to the row of the same address at the other customer; stopped notices stay stopped. */
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
    `INSERT INTO notice_subscriptions (customer_id, recipient_id, billing_profile_id, kinds, since)
     SELECT $2::text, b.id, ${PROFILE}, s.kinds, now()
     FROM notice_subscriptions s
     JOIN notice_recipients a ON a.customer_id = s.customer_id AND a.id = s.recipient_id
     JOIN notice_recipients b ON ${sameAddress}
     WHERE s.customer_id = $1`,
    [from, into],
  )
}
