import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PartialInput } from '#lib/platform/api/client.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addProfile, callerOf } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { addDays } from '#lib/platform/values/days.ts'
import { DEEP } from '../../../test/fakes/deep.ts'
import type * as contract from './contract.ts'
import { listInvoices, summarizeInvoices } from './operations.ts'

// For any search, the tokens find the same rows as a plain LIKE over all rows, in each order, page by page.

type Query = NonNullable<PartialInput<typeof contract.listInvoices>['query']>
type Row = {
  id: string
  number: string
  issuer: string
  profile: string
  date: string
  due: string
  state: string
  order?: string | undefined
  /** Purchase order of the second line; the first line has none. */
  lineOrder?: string | undefined
  reference?: string | undefined
  center?: string | undefined
}
const TODAY = '2026-11-20'
const PROFILES = ['default', 'emea']
const requestMeta = { requestId: 'test-request' }
let database: TestDatabase
let ana: Caller
let rows: Row[]

/** Letters that compare in unusual ways or have a meaning in SQL, one of each kind. */
const ODD = [
  'İstanbul',
  'ISPARTA',
  'ıd',
  'Straße',
  'STRASSE',
  'e\u0301t',
  '\u00e9t',
  'ÜBER',
  '100%',
  'a_b',
  'a\\b',
  "O'X",
  '😀😀1',
  'مرحبا',
  'ΑΣ',
  '^IN',
  '"q"',
]
const part = fc.oneof(
  fc.constantFrom(...ODD),
  fc.string({ unit: fc.constantFrom(..."IN-0123/aß%_\\'İ😀"), minLength: 1, maxLength: 6 }),
)
const number = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''))

beforeAll(async () => {
  database = await testDatabase({ today: TODAY })
  for (const id of ['northwind', 'southwind']) await addCustomer(id)
  await addProfile('northwind', 'emea')
  ana = await callerOf('northwind', 'finance-user')
  const odd = fc.sample(fc.tuple(number, fc.boolean(), fc.nat(600)), { numRuns: 250, seed: 7 })
  rows = [
    ...odd.map(
      ([text, isSeparate, days], n): Row => ({
        id: `${isSeparate ? 'ID-' : ''}${text}${n}`,
        number: `${text}${n}`,
        issuer: n % 40 === 0 ? `Müller ${ODD[n % ODD.length]}` : 'Resale',
        profile: n % 3 ? 'default' : 'emea',
        date: addDays('2025-01-01', days),
        due: addDays('2026-10-01', days % 90),
        state: n % 11 ? 'issued' : 'voided',
        order: [undefined, `PO/${text}`, 'PO 4500-017-Ω', `4500${n}`][n % 4],
        lineOrder: n % 5 ? undefined : `L${text}/${n}`,
        reference: n % 3 ? undefined : `04011000-${text}`,
        center: n % 7 ? undefined : `K-${n}-${text}`,
      }),
    ),
    // Months with more than are read by their tokens, and an issuer who was there at the beginning only.
    ...Array.from(
      { length: 900 },
      (_, n): Row => ({
        id: `F-2026-${String(n).padStart(5, '0')}`,
        number: `F-2026-${String(n).padStart(5, '0')}`,
        issuer: n < 20 ? 'Early bird' : 'Resale',
        profile: 'default',
        date: addDays('2025-02-01', Math.floor(n / 10)),
        due: addDays('2026-10-01', n % 90),
        state: 'issued',
      }),
    ),
  ]
  await add('northwind', rows)
  await add('southwind', [{ ...(rows.at(-1) as Row), profile: 'default' }])
})
afterAll(() => database.close())

async function add(customer: string, added: readonly Row[]): Promise<void> {
  await database.sql(
    customer,
    `INSERT INTO invoices (customer_id, seller_id, buyer_id, id, number, billing_profile_id, platform, issuer, invoice_date,
       due_date, currency, total_amount, balance_amount, document_state, purchase_order, buyer_reference, cost_center)
     SELECT $1, 'test-party', 'test-party', r.id, r.number, r.profile, 'web-services', r.issuer, r.date::date, r.due::date, 'USD',
       length(r.number), CASE WHEN r.state = 'issued' THEN 1 ELSE 0 END, r.state, r."order", r.reference, r.center
     FROM json_to_recordset($2::json) AS r(id text, number text, issuer text, profile text, date text, due text, state text,
       "order" text, reference text, center text)`,
    [customer, JSON.stringify(added)],
  )
  await database.sql(
    customer,
    `INSERT INTO line_items (customer_id, invoice_id, position, type, description, price, qty, currency, purchase_order)
     SELECT $1, r.id, n, 'web-services', 'Compute', 1, 1, 'USD', CASE n WHEN 2 THEN r."lineOrder" END
     FROM json_to_recordset($2::json) AS r(id text, "lineOrder" text), generate_series(1, 2) n`,
    [customer, JSON.stringify(added)],
  )
}

const list = async (query: Query, caller = ana) =>
  (await listInvoices(caller, { params: {}, query, body: undefined }, requestMeta)).body
const idsOf = async (query: Query, caller = ana) => {
  const ids: string[] = []
  let pageToken: string | undefined
  do {
    const page = await list({ ...query, pageToken }, caller)
    ids.push(...page.invoices.map(({ id }) => id))
    pageToken = page.pageToken
  } while (pageToken)
  return ids
}
const summary = async ({ maxResults: _, orderBy: __, ...query }: Query, caller = ana) =>
  (await summarizeInvoices(caller, { params: {}, query, body: undefined }, requestMeta)).body

/** Returns the rows that a plain LIKE finds. */
async function like(
  search: string,
  { order = 'invoice_date DESC, id DESC', where = 'true', profiles = PROFILES } = {},
) {
  const result = await database.sql(
    'northwind',
    `SELECT id, total_amount::float AS total FROM invoices, (
       SELECT replace(replace(replace(folded($1), '\\', '\\\\'), '%', '\\%'), '_', '\\_') AS text,
         CASE WHEN char_length($1) < 3 THEN '' ELSE '%' END AS before) AS wanted
     WHERE (folded(number) LIKE before || text || '%' OR folded(issuer) LIKE before || text || '%' OR folded(id) LIKE text || '%'
         OR folded(purchase_order) LIKE before || text || '%' OR folded(buyer_reference) LIKE text || '%'
         OR folded(cost_center) LIKE text || '%' OR EXISTS (
           SELECT FROM line_items l WHERE l.invoice_id = invoices.id AND folded(l.purchase_order) LIKE before || text || '%'))
       AND document_state = 'issued' AND billing_profile_id = ANY ($2) AND ${where}
     ORDER BY ${order}`,
    [search, profiles],
  )
  return result as { id: string; total: number }[]
}

/** Parts of existing values, in other letters, and missing values. */
const search = fc.oneof(
  fc
    .tuple(
      fc.nat(1e6),
      fc.nat(12),
      fc.integer({ min: 1, max: 16 }),
      fc.constantFrom('same', 'upper', 'lower'),
    )
    .map(([n, at, size, how]) => {
      const { number: whole, issuer, id, order, lineOrder, reference, center } = rows[n % rows.length] as Row
      const texts = [whole, issuer, id, order, lineOrder, reference, center].filter(
        (one) => one !== undefined,
      )
      const letters = [...(texts[n % texts.length] as string)]
      const text = letters.slice(at % letters.length, (at % letters.length) + size).join('')
      return how === 'same' ? text : how === 'upper' ? text.toUpperCase() : text.toLowerCase()
    }),
  number,
  fc.constantFrom(
    'F-2',
    'F-',
    '202',
    'resale',
    'müller',
    'Early',
    '00',
    '-000',
    'nothing',
    'no',
    '4500',
    '500-017',
    '0401',
    'k-7',
    'ω',
  ),
)

describe('a search', () => {
  it('finds the rows that LIKE finds, newest first and page by page, with their count and sums', async () => {
    await fc.assert(
      fc.asyncProperty(
        search,
        fc.subarray(PROFILES),
        fc.integer({ min: 3, max: 250 }),
        async (text, billingProfiles, maxResults) => {
          const caller = { ...ana, billingProfiles }
          const expected = await like(text, { profiles: billingProfiles })
          expect(await idsOf({ search: text, maxResults }, caller)).toEqual(expected.map(({ id }) => id))
          const { count, currencies } = await summary({ search: text }, caller)
          expect(count).toBe(expected.length)
          expect(currencies[0]?.totalAmount ?? 0).toBe(expected.reduce((sum, { total }) => sum + total, 0))
        },
      ),
      { numRuns: DEEP ? 150 : 30 },
    )
  }, 120_000)

  it('finds the same rows in each order, and within dates and filters', async () => {
    const sorts = {
      'invoiceDate asc': 'invoice_date, id',
      'dueDate desc': 'due_date DESC, id DESC',
      'totalAmount asc': 'total_sort, id',
      'balanceAmount desc': 'balance_sort DESC, id DESC',
    }
    const from = '2025-02-10'
    const to = '2025-04-20'
    await fc.assert(
      fc.asyncProperty(
        search,
        fc.constantFrom(...(Object.keys(sorts) as (keyof typeof sorts)[])),
        fc.boolean(),
        async (text, orderBy, isCut) => {
          const where = isCut ? `invoice_date BETWEEN '${from}' AND '${to}' AND issuer = 'Resale'` : 'true'
          const range = {
            minCreationTime: Date.parse(from),
            maxCreationTime: Date.parse(to),
            filter: { issuer: ['Resale'] },
          }
          const query = { search: text, orderBy, maxResults: 100, ...(isCut ? range : {}) }
          const expected = await like(text, { order: sorts[orderBy], where })
          expect(await idsOf(query)).toEqual(expected.map(({ id }) => id))
          expect((await summary(query)).count).toBe(expected.length)
        },
      ),
      { numRuns: DEEP ? 100 : 20 },
    )
  }, 120_000)

  it('pages back to the previous page', async () => {
    const first = await list({ search: '-2026-', maxResults: 30 })
    const second = await list({ search: '-2026-', maxResults: 30, pageToken: first.pageToken })
    const back = await list({ search: '-2026-', maxResults: 30, pageToken: second.previousPageToken })
    expect(back.invoices).toEqual(first.invoices)
  })

  it('with a filter on drafts or voided invoices finds those', async () => {
    const voided = rows.filter(({ state }) => state === 'voided')
    const ids = await idsOf({ search: 'resale', filter: { state: ['voided'] }, maxResults: 250 })
    expect(ids.length).toBe(voided.filter(({ issuer }) => issuer === 'Resale').length)
  })
})

describe('letters', () => {
  beforeAll(async () => {
    await addCustomer('letters')
    const rowOf = (number: string, issuer = 'R'): Row => ({
      ...(rows.at(-1) as Row),
      ...{ id: number, number, issuer },
    })
    await add('letters', [
      rowOf('1', 'Müller AG'),
      rowOf('2', 'Straße'),
      rowOf('3', 'İstanbul'),
      rowOf('5', 'e\u0301t\u00e9'),
      rowOf('A%B_C\\D'),
      rowOf(`"q"'s`),
      rowOf('😀😀9'),
      rowOf('فاتورة'),
    ])
  })

  it.each([
    ['MÜLLER', ['1']],
    ['üll', ['1']],
    ['ller ag', ['1']],
    ['STRAẞE', ['2']],
    ['strasse', []],
    ['İSTANBUL', ['3']],
    ['STANBUL', ['3']],
    ['istanbul', []],
    ['T\u00c9', []],
    ['E\u0301T\u00c9', ['5']],
    ['%', []],
    ['a%b', ['A%B_C\\D']],
    ['a_b', []],
    ['_c\\', ['A%B_C\\D']],
    ['\\', []],
    ["'s", []],
    [`"'s`, [`"q"'s`]],
    [`q"'s`, [`"q"'s`]],
    ['😀', ['😀😀9']],
    ['😀9', []],
    ['😀😀9', ['😀😀9']],
    ['تور', ['فاتورة']],
    ['ff', []],
  ])('%j finds %j', async (text, expected) => {
    const caller = await callerOf('letters', 'finance-user')
    expect(await idsOf({ search: text }, caller)).toEqual(expected)
  })
})

describe('whose invoices a search finds', () => {
  it('excludes invoices of other customers, even without either wall', async () => {
    const eve = await callerOf('southwind', 'admin')
    const expected = [rows.at(-1)?.id]
    const all = { ...eve, billingProfiles: PROFILES }
    expect(await idsOf({ search: '2026-' }, all)).toEqual(expected)
    for (const table of ['invoices', 'invoice_tokens'])
      await run(database.url, `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`)
    try {
      for (const text of ['2026-', 'resale', 'F-', "x' OR 'a'='a"])
        for (const orderBy of [undefined, 'dueDate asc'] as const) {
          const ids = await idsOf({ search: text, orderBy }, all)
          expect(ids).toEqual(text.startsWith('x') ? [] : expected)
          expect((await summary({ search: text }, all)).count).toBe(ids.length)
        }
    } finally {
      for (const table of ['invoices', 'invoice_tokens'])
        await run(database.url, `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`)
    }
    // The second wall only.
    expect(await database.sql('southwind', 'SELECT DISTINCT invoice_id AS id FROM invoice_tokens')).toEqual([
      { id: expected[0] },
    ])
  })
})
