import pg from 'pg'

// Expected content of `look_ups`, from the rows themselves. A key that was moved to another customer has no digest any
// more.
const EXPECTED_INDEX = `
  SELECT 'key' AS kind, digest, customer_id, id FROM api_keys WHERE digest NOT LIKE 'merged %'
  UNION ALL SELECT 'session', digest, customer_id, digest FROM sessions
  UNION ALL SELECT 'scim-token', digest, customer_id, id FROM scim_tokens
  UNION ALL SELECT 'calendar-feed', digest, customer_id, member_id FROM calendar_feeds
  UNION ALL SELECT 'link', digest, customer_id, id FROM account_links WHERE digest IS NOT NULL
  UNION ALL SELECT 'address', encode(sha256(lower(email)::bytea), 'hex'), customer_id, id FROM members`
const PRESENT = "SELECT kind, digest, customer_id, id FROM look_ups WHERE digest NOT LIKE 'merged %'"

/** Runs SQL as the owner of a database, who sees the rows of all customers. */
export async function asOwner<Row extends pg.QueryResultRow>(url: string, query: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('SET ROLE console_jobs')
    const { rows } = await client.query<{ id: string }>('SELECT id FROM customers')
    await client.query('RESET ROLE')
    const all = rows.map(({ id }) => id).join(' ')
    await client.query("SELECT set_config('console.operated', $1, false)", [all])
    return (await client.query<Row>(query)).rows
  } finally {
    await client.end()
  }
}

/** Returns the kinds with missing or surplus rows in `look_ups`, and the number of correct rows. */
export async function differences(url: string): Promise<{ wrong: string[]; right: Record<string, number> }> {
  const wrong = await asOwner<{ kind: string }>(
    url,
    `(${EXPECTED_INDEX}) EXCEPT (${PRESENT}) UNION ALL ((${PRESENT}) EXCEPT (${EXPECTED_INDEX}))`,
  )
  const right = await asOwner<{ kind: string; count: number }>(
    url,
    `SELECT kind, count(*)::int AS count FROM ((${EXPECTED_INDEX}) INTERSECT (${PRESENT})) AS both_have GROUP BY kind`,
  )
  return {
    wrong: wrong.map(({ kind }) => kind),
    right: Object.fromEntries(right.map(({ kind, count }) => [kind, count])),
  }
}

/**
 * Drops the triggers that maintain `look_ups` for the previous release, so that a test sees only the stores' writes.
 */
export async function withoutTriggers(url: string): Promise<void> {
  const tables = ['api_keys', 'sessions', 'scim_tokens', 'calendar_feeds', 'account_links', 'members']
  await asOwner(url, tables.map((table) => `DROP TRIGGER look_up ON ${table}`).join('; '))
}
