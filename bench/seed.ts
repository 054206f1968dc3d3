import pg from 'pg'
import { addAsset, addCustomer, addKey } from '#lib/db/test-rows.ts'

/** A customer with 64 assets and this many invoices over some five years: an admin's key. */
export async function addBenchCustomer(url: string, id: string, count: number): Promise<string> {
  await addCustomer(id)
  for (let n = 0; n < 64; n++) await addAsset(id, `workspace-suite-${n}`, { purchased: 1 })
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  await owner.query(
    `INSERT INTO invoices (customer_id, seller_id, buyer_id, id, number, billing_profile_id, platform, issuer, invoice_date, due_date,
       currency, total_amount, balance_amount)
     SELECT $1, 'test-party', 'test-party', 'IN-' || lpad(n::text, 8, '0'), 'IN-' || lpad(n::text, 8, '0'), 'default', 'cloud-platform', 'Bench',
       date '2020-01-01' + n % 2000, date '2020-02-01' + n % 2000, 'USD', 10.25, n % 3 FROM generate_series(1, $2) n`,
    [id, count],
  )
  await owner.query('VACUUM ANALYZE invoices')
  await owner.end()
  return addKey(id, ['admin'])
}

/**
 * The token of a page past `rows` rows of `large` by a column, the highest first: made in the form of `token`, and not
 * by walking there.
 */
export async function tokenBeyond(
  url: string,
  token: string,
  rows: number,
  column = 'invoice_date',
): Promise<string> {
  const [direction, digest] = JSON.parse(Buffer.from(token, 'base64url').toString())
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  const { rows: found } = await owner.query(
    `SELECT ${column}::text AS value, id FROM invoices WHERE customer_id = 'large'
     ORDER BY ${column} DESC, id DESC OFFSET $1 LIMIT 1`,
    [rows],
  )
  await owner.end()
  return Buffer.from(JSON.stringify([direction, digest, [found[0].value, found[0].id]])).toString('base64url')
}
