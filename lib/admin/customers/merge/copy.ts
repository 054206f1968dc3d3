import { PgDialect } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { openingQueries } from '#lib/billing/payments/openings.ts'
import type { OwnersWork } from '#lib/server/pruning/as-owner.ts'
import { type Merge, type ProfileIds, sqlList } from './prepare.ts'

// The rows pass through this process: on Citus the two customers may be on two nodes, and a statement across both is
// refused.

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
  /** SQL by which rows are sorted, where one refers to another of its table. */
  sortedBy?: string
  /** Rows of one page; 500 by default. */
  page?: number
}

/** SQL about the source row's billing profiles. */
function profileSql(profiles: ProfileIds) {
  const ids = `unnest(${sqlList([...profiles.keys()])}, ${sqlList([...profiles.values()])}) AS p (id, new_id)`
  return {
    one: `(SELECT p.new_id FROM ${ids} WHERE p.id = s.billing_profile_id)`,
    own: `(SELECT p.new_id FROM ${ids} WHERE p.id = s.id)`,
    // Access to all billing profiles of the source customer (NULL) becomes access to exactly these profiles, and not to
    // the target customer's other profiles.
    all: `ARRAY(SELECT p.new_id FROM ${ids}
      WHERE s.billing_profiles IS NULL OR p.id = ANY (s.billing_profiles) ORDER BY 1)`,
  }
}

/**
 * Copies the rows of the source customer to the target customer. Triggers update the sums of both customers. Sorted by
 * foreign keys. Records of imports and sent mails stay with the source customer, next to its audit events.
 */
export async function copyAll(owner: OwnersWork, merge: Merge, profiles: ProfileIds): Promise<void> {
  const profile = profileSql(profiles)
  const copy = (table: string, how: Omit<TableCopy, 'table'> = {}) =>
    copyRows(owner, merge, { table, ...how })
  // Invoices are copied with their payments: otherwise triggers would record them a second time.
  await owner.write("SET LOCAL console.payments = 'copied'")
  await copy('billing_profiles', { set: { id: profile.own } })
  await copy('issuers', { skipExisting: true })
  await copy('parties', { skipExisting: true })
  await copy('members', {
    set: { billing_profiles: profile.all, disabled_at: 'NULL' },
    where: 's.id IN (SELECT id FROM going_members)',
  })
  await copy('api_keys', { source: 'going_keys', set: { billing_profiles: profile.all } })
  await copy('vendor_subscriptions', {
    set: {
      released_at: 'CASE WHEN s.id IN (SELECT id FROM going_subscriptions) THEN NULL ELSE s.released_at END',
      next_read_at: 'CASE WHEN s.id IN (SELECT id FROM going_subscriptions) THEN now() END',
    },
  })
  for (const table of [
    'assets',
    'seat_readings',
    'license_changes',
    'renewal_orders',
    'renewal_requests',
    'license_change_attempts',
  ])
    await copy(table)
  await copyInvoices(owner, merge, profile.one)
  for (const table of ['line_items', 'line_prices']) await copy(table)
  // If both customers have the charges of a bill, the target customer's stay.
  await copy('charge_sets', {
    set: { import_id: 'NULL' },
    where: 's.replaced_by IS NULL',
    skipExisting: true,
  })
  const sets = sqlList(await inBoth(owner, merge, 'charge_sets', 'id'))
  await copy('charges', { where: `s.set_id = ANY (${sets})` })
  // A document of an issuer may have 10 MiB, and takes twice as much as text.
  await copy('invoice_files', { page: 2 })
  const references = sqlList(await inBoth(owner, merge, 'payments', 'reference'))
  const renamed = `CASE WHEN s.reference = ANY (${references}) THEN s.reference || '~' || s.customer_id ELSE s.reference END`
  await copy('payments', { set: { reference: renamed }, sortedBy: 's.refund_of IS NOT NULL' })
  await copy('payment_entries')
  await copyRecipients(owner, merge, profile.one)
  // Amounts that the backfill of the source customer has not recorded yet.
  const unfinished = await owner.query(
    "SELECT FROM backfills WHERE name = 'payments' AND finished_at IS NULL",
  )
  if (unfinished.length > 0)
    for (const query of openingQueries(merge.into)) {
      const { sql, params } = new PgDialect().sqlToQuery(query)
      await owner.write(sql, params)
    }
  await owner.write('SET LOCAL console.payments = DEFAULT')
  await updateCredentialIndex(owner, merge)
  await moveFactors(owner, merge)
}

/** Copies rows of one table with all of its columns except generated ones, a page at a time. */
async function copyRows({ query, write }: OwnersWork, { from, into }: Merge, copy: TableCopy): Promise<void> {
  const { table, set = {}, where = 'true', skipExisting = false, source = table, sortedBy, page = 500 } = copy
  const columns = await query<{ name: string; type: string }>(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
       AND attname <> 'customer_id' ORDER BY attnum`,
    [table],
  )
  const names = columns.map(({ name }) => pg.escapeIdentifier(name))
  const texts = columns.map(
    ({ name }, index) => `(${set[name] ?? `s.${names[index]}`})::text AS ${names[index]}`,
  )
  await write(
    `DECLARE going NO SCROLL CURSOR FOR SELECT ${texts.join(', ')} FROM ${source} s
     WHERE s.customer_id = ${pg.escapeLiteral(from)} AND ${where}${sortedBy ? ` ORDER BY ${sortedBy}` : ''}`,
  )
  for (;;) {
    const rows = await query<Record<string, string | null>>(`FETCH ${page} FROM going`)
    if (rows.length === 0) break
    const parameter = (row: number) => (type: string, column: number) =>
      `$${row * columns.length + column + 2}::${type}`
    const tuples = rows.map(
      (_, row) => `($1, ${columns.map(({ type }, column) => parameter(row)(type, column)).join(', ')})`,
    )
    await write(
      `INSERT INTO ${table} (customer_id, ${names.join(', ')}) VALUES ${tuples.join(', ')}
       ${skipExisting ? 'ON CONFLICT DO NOTHING' : ''}`,
      [into, ...rows.flatMap((row) => columns.map(({ name }) => row[name]))],
    )
  }
  await write('CLOSE going')
}

/** Copies invoices, then the references between them: one may refer to an invoice of a later page. */
async function copyInvoices(owner: OwnersWork, merge: Merge, profile: string): Promise<void> {
  const set = { billing_profile_id: profile, import_id: 'NULL', replaced_by: 'NULL' }
  await copyRows(owner, merge, { table: 'invoices', set })
  const replaced = await owner.query<{ id: string; by: string }>(
    'SELECT id, replaced_by AS by FROM invoices WHERE customer_id = $1 AND replaced_by IS NOT NULL',
    [merge.from],
  )
  await owner.write(
    `UPDATE invoices i SET replaced_by = r.by FROM unnest($2::text[], $3::text[]) AS r (id, by)
     WHERE i.customer_id = $1 AND i.id = r.id`,
    [merge.into, replaced.map(({ id }) => id), replaced.map(({ by }) => by)],
  )
}

/** Returns the values of a column that rows of both customers have. */
async function inBoth(
  { query }: OwnersWork,
  { from, into }: Merge,
  table: string,
  column: string,
): Promise<string[]> {
  const values = (parameter: string) =>
    `SELECT ${column} AS value FROM ${table} WHERE customer_id = ${parameter}`
  const rows = await query<{ value: string }>(
    `WITH a AS MATERIALIZED (${values('$1')}), b AS MATERIALIZED (${values('$2')})
     SELECT DISTINCT a.value FROM a JOIN b ON b.value = a.value`,
    [from, into],
  )
  return rows.map(({ value }) => value)
}

/** Adds the target customer's keys and email addresses to the credential index. */
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

/** Copies the recipients of notices with their subscriptions. If both customers have an address, stopped notices stay stopped. */
async function copyRecipients(owner: OwnersWork, merge: Merge, profile: string): Promise<void> {
  const { query, write } = owner
  const { from, into } = merge
  const shared = sqlList(await inBoth(owner, merge, 'notice_recipients', 'lower(email)'))
  await copyRows(owner, merge, { table: 'notice_recipients', where: `lower(s.email) <> ALL (${shared})` })
  const recipientsOf = (customer: string) =>
    query<{ id: string; address: string; stopped: string[]; licenses: boolean; needs: boolean }>(
      `SELECT id, lower(email) AS address, stopped, licenses_since IS NOT NULL AS licenses, needs_since IS NOT NULL AS needs
       FROM notice_recipients WHERE customer_id = $1`,
      [customer],
    )
  const targets = new Map((await recipientsOf(into)).map((recipient) => [recipient.address, recipient]))
  const newIds: [string, string][] = []
  for (const source of await recipientsOf(from)) {
    const target = targets.get(source.address)
    if (!target) continue
    newIds.push([source.id, target.id])
    const stopped = [...new Set([...source.stopped, ...target.stopped])].sort()
    await write(
      `UPDATE notice_recipients SET stopped = $3${source.licenses && !target.licenses ? ', licenses_since = now()' : ''}${
        source.needs && !target.needs ? ', needs_since = now()' : ''
      } WHERE customer_id = $1 AND id = $2`,
      [into, target.id, stopped],
    )
  }
  const ids = `unnest(${sqlList(newIds.map(([id]) => id))}, ${sqlList(newIds.map(([, id]) => id))}) AS r (id, new_id)`
  await copyRows(owner, merge, {
    table: 'notice_subscriptions',
    set: {
      recipient_id: `(SELECT r.new_id FROM ${ids} WHERE r.id = s.recipient_id)`,
      billing_profile_id: profile,
      since: 'now()',
    },
  })
}
