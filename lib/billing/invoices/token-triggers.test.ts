import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loginOf } from '#lib/platform/db/logins.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addInvoice, addNewCustomer } from '#lib/platform/db/test-rows.ts'

// Whatever a statement does to invoices, and to their lines, their tokens follow in its transaction.

let db: TestDatabase
let customer: string
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())
beforeEach(async () => {
  customer = await addNewCustomer()
})

const write = (query: string, values?: unknown[]) => db.sql(customer, query, values)
const tokens = async (customerId = customer) =>
  (await db.sql(customerId, 'SELECT token FROM invoice_tokens ORDER BY token')).map(({ token }) => token)

/** Returns tokens that are missing or superfluous. */
function wrong() {
  return write(`
    WITH own AS (
      SELECT date_trunc('month', invoice_date::timestamp)::date AS month, token COLLATE "C" AS token, id
      FROM invoices, tokens_of_invoice(number, id, purchase_order, (
        SELECT array_agg(purchase_order) FROM line_items WHERE invoice_id = invoices.id), buyer_reference, cost_center)),
    kept AS (SELECT month, token, invoice_id FROM invoice_tokens)
    (TABLE own EXCEPT TABLE kept) UNION ALL (TABLE kept EXCEPT TABLE own)`)
}

const ADDED = `
  INSERT INTO invoices (customer_id, seller_id, buyer_id, id, number, billing_profile_id, platform, issuer, invoice_date,
    due_date, currency, total_amount, balance_amount)
  SELECT current_setting('console.customer'), 'test-party', 'test-party', 'ID-' || n, $2::text || n, 'default',
    'web-services', 'R', $3::date, '2026-12-31', 'USD', 1, 0
  FROM unnest($1::int[]) n ON CONFLICT (customer_id, id) DO`
const WHERE = "WHERE id IN (SELECT 'ID-' || n FROM unnest($1::int[]) n)"
const LINES = `
  INSERT INTO line_items (customer_id, invoice_id, position, type, description, price, qty, currency, purchase_order)
  SELECT customer_id, id, n, 'web-services', 'Compute', 1, 1, 'USD', CASE n WHEN 1 THEN $2 WHEN 2 THEN 'P-' || id END
  FROM invoices, generate_series(1, 3) n ${WHERE}`
type Written = (number: string, date: string) => [statement: string, values: string[]]
const QUERIES = {
  add: (...values) => [`${ADDED} NOTHING`, values],
  'write over': (...values) => [
    `${ADDED} UPDATE SET number = excluded.number, invoice_date = excluded.invoice_date`,
    values,
  ],
  rename: (number) => [`UPDATE invoices SET number = $2 || id ${WHERE}`, [number]],
  move: (_, date) => [`UPDATE invoices SET invoice_date = $2 ${WHERE}`, [date]],
  order: (purchaseOrder) => [
    `UPDATE invoices SET purchase_order = nullif($2, 'A') ${WHERE}`,
    [purchaseOrder],
  ],
  refer: (text) => [`UPDATE invoices SET buyer_reference = $2, cost_center = id || $2 ${WHERE}`, [text]],
  'add lines': (purchaseOrder) => [`${LINES} ON CONFLICT DO NOTHING`, [purchaseOrder]],
  'write over lines': (purchaseOrder) => [
    `${LINES} ON CONFLICT (customer_id, invoice_id, position) DO UPDATE SET purchase_order = excluded.purchase_order`,
    [purchaseOrder],
  ],
  'order by line': (purchaseOrder) => [
    `UPDATE line_items SET purchase_order = nullif($2, 'A') WHERE position = 1 AND invoice_${WHERE.slice(6)}`,
    [purchaseOrder],
  ],
  'drop lines': () => [`DELETE FROM line_items WHERE position = 1 AND invoice_${WHERE.slice(6)}`, []],
  void: () => [`UPDATE invoices SET document_state = 'voided' ${WHERE}`, []],
  drop: () => [`DELETE FROM invoices ${WHERE}`, []],
} satisfies Record<string, Written>

describe('The tokens of an invoice', () => {
  it('are the suffixes of the number from each character, and the prefixes of number and id after a marker', async () => {
    await addInvoice(customer, 'IN-1', {})
    expect(await tokens()).toEqual(['^in-1', 'n-1'])
    await write("UPDATE invoices SET number = 'ÄB-0123456789ABC'")
    expect(await tokens()).toEqual(
      [
        '0123456789ab',
        '123456789abc',
        '23456789abc',
        '3456789abc',
        '456789abc',
        '56789abc',
        '6789abc',
        '789abc',
        '89abc',
        '9abc',
        '-0123456789a',
        '^in-1',
        '^äb-012345678',
        'abc',
        'b-0123456789',
      ].sort(),
    )
  })

  it('include purchase orders of the invoice and its lines, and the prefixes of its references', async () => {
    const posting = { purchaseOrder: 'PO 7', buyerReference: 'Leitweg-0411', costCenter: 'K-1' }
    const lines = ['PO 7', 'Ω-12', undefined].map((purchaseOrder) => ({ purchaseOrder }))
    await addInvoice(customer, 'IN-1', posting, lines)
    const all = ['^in-1', 'n-1', '^po 7', 'o 7', '^ω-12', '-12', '^leitweg-0411', '^k-1']
    expect(await tokens()).toEqual(all.sort())
    await write("UPDATE line_items SET purchase_order = NULL WHERE purchase_order = 'PO 7'")
    expect(await tokens()).toEqual(all.sort())
    await write("UPDATE invoices SET purchase_order = 'PO 8', buyer_reference = NULL")
    expect(await tokens()).toEqual(['^in-1', 'n-1', '^po 8', 'o 8', '^ω-12', '-12', '^k-1'].sort())
  })

  it('are limited to 1,000 for an invoice with a purchase order per line', async () => {
    const lines = Array.from({ length: 1005 }, (_, n) => ({ purchaseOrder: String(10_000 + n) }))
    await addInvoice(customer, 'IN-1', {}, lines)
    const [row] = await write(
      'SELECT cardinality(line_orders) AS count, line_orders[1000] AS last FROM invoices',
    )
    expect(row).toEqual({ count: 1000, last: '10999' })
    expect(await tokens()).toContain('^10999')
    expect(await tokens()).not.toContain('^11000')
  })

  it('are deleted with the invoice, and stay when the invoice is voided', async () => {
    await addInvoice(customer, 'IN-1', {})
    const rowLocation = () =>
      write("SELECT token, ctid FROM invoice_tokens WHERE token LIKE '%n-1' ORDER BY 1")
    const before = await rowLocation()
    await write("UPDATE invoices SET document_state = 'voided', balance_amount = 0")
    expect(await rowLocation()).toEqual(before)
    await write("UPDATE invoices SET purchase_order = 'PO-1'")
    expect(await rowLocation()).toEqual(before)
    await write('DELETE FROM invoices')
    expect(await tokens()).toEqual([])
  })

  it('are rolled back with the transaction of the invoice', async () => {
    await addInvoice(customer, 'IN-1', {})
    const failing =
      "WITH a AS (UPDATE invoices SET number = 'OTHER' RETURNING 1) SELECT 1 / (count(*) - 1) FROM a"
    await expect(write(failing)).rejects.toThrow('division by zero')
    expect(await tokens()).toEqual(['^in-1', 'n-1'])
  })

  it('follow each row of each statement', async () => {
    const text = fc.array(fc.constantFrom('A', 'b', '0', '00', '-', 'ß', 'İ', '😀', '%'), {
      minLength: 1,
      maxLength: 18,
    })
    const step = fc.record({
      what: fc.constantFrom(...(Object.keys(QUERIES) as (keyof typeof QUERIES)[])),
      ids: fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 4 }),
      number: text.map((parts) => parts.join('')),
      date: fc.constantFrom('2026-08-31', '2026-09-01', '2026-09-30'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        customer = await addNewCustomer()
        for (const { what, ids, number, date } of steps) {
          const [query, values] = QUERIES[what](number, date)
          await write(query, [ids, ...values])
          expect(await wrong()).toEqual([])
        }
      }),
      { numRuns: 60 },
    )
  }, 60_000)
})

describe('Another customer’s tokens', () => {
  it('are never read, added or removed', async () => {
    await addInvoice(customer, 'IN-1', {})
    const other = await addNewCustomer()
    expect(await tokens(other)).toEqual([])
    const values = [customer]
    const insert = "INSERT INTO invoice_tokens VALUES ($1, '2026-09-01', 'x', 'IN-1')"
    await expect(db.sql(other, insert, values)).rejects.toThrow('row-level security')
    await db.sql(other, 'DELETE FROM invoice_tokens')
    expect(await tokens()).toEqual(['^in-1', 'n-1'])
  })

  it.each(['console_keys', 'console_jobs'] as const)('are hidden from %s', async (login) => {
    const client = new pg.Client(loginOf(db.url, login))
    await client.connect()
    await expect(client.query('SELECT * FROM invoice_tokens')).rejects.toThrow('permission denied')
    await client.end()
  })
})
