import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { commandLine } from '../test-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-import-'))
let db: TestDatabase
const { admin } = commandLine(() => db.url, folder)
beforeAll(async () => {
  db = await testDatabase({ today: '2026-11-22' })
  for (const id of ['alder', 'birch', 'cedar']) await addCustomer(id)
  mkdirSync(join(folder, 'costs'))
  write('costs/1.csv', [HEADER, charge('A-1', '1000.254'), charge('A-2', '-3.5')])
  write('costs/2.csv', [HEADER, charge('A-1', '10.1')])
  write('costs/notes.txt', ['hello'])
  write('map.csv', ['account,customer', 'A-1,birch', 'A-2,alder'])
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

const HEADER =
  'InvoiceIssuerName,BillingAccountId,BillingPeriodStart,BillingPeriodEnd,BillingCurrency,ProviderName,ServiceName,ChargeCategory,BilledCost'
const charge = (account: string, cost: string) =>
  `Red Rocks,${account},2026-09-01,2026-10-01,USD,Red Rocks,Compute,Usage,${cost}`
const write = (name: string, lines: readonly string[]) => writeFileSync(join(folder, name), lines.join('\n'))
const json = async (args: string) => JSON.parse((await admin(args)).out)
const countInvoices = async (customer: string) =>
  (await db.sql(customer, 'SELECT count(*)::int AS n FROM invoices'))[0]?.n

describe('a report', () => {
  test('contains the read data and the outcome, also in a dry run', async () => {
    const { code, out, err } = await admin('import focus costs --customer cedar --dry-run')
    expect([code, err]).toEqual([0, ''])
    expect(out).toBe(
      [
        '2 files      Bytes  Rows  Used',
        'costs/1.csv    279     2     2',
        'costs/2.csv    206     1     1',
        'Left out: costs/notes.txt',
        '',
        'Rows      3  all of them used',
        'Charges   3  kept of 2 invoices: 2 new',
        'Invoices  2  2 new',
        '',
        'In all  Invoices  In the files  Invoiced',
        '               2     1,006.854  1,006.85  USD',
        '',
        'Issuer     Account  Period   Invoices  In the files  Invoiced',
        'Red Rocks  A-1      2026-09         1     1,010.354  1,010.35  USD',
        'Red Rocks  A-2      2026-09         1         −3.50     −3.50  USD',
        '',
        'Worth a look',
        'Totals below zero                             1  2026-09-NUMBER',
        'Providers that became platforms of their own  1  Red Rocks (red-rocks)',
        '',
        'Dry run: nothing was stored.',
        '',
      ]
        .join('\n')
        .replace('2026-09-NUMBER', /2026-09-[0-9a-f]{8}/.exec(out)?.[0] ?? 'no number'),
    )
    expect(await countInvoices('cedar')).toBe(0)
  })

  test('is printed as data with --json', async () => {
    const report = await json('import focus costs --customer cedar --dry-run --json')
    expect(report).toMatchObject({
      import: null,
      dryRun: true,
      kind: 'focus',
      files: [{ name: 'costs/1.csv', bytes: 279, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }, {}],
      leftOut: ['costs/notes.txt'],
      counts: { added: 2 },
      sums: [{ currency: 'USD', invoices: 2, exact: '1006.854', invoiced: '1006.85' }],
    })
  })

  test('of assets contains their number', async () => {
    const asset = { id: 'web-services-1', type: 'web-services', name: 'Hosting', customerDomain: 'a.example' }
    const rest = { vendorCustomerId: 'C1', createdAt: '2025-01-01', subscription: null }
    write('assets.json', [JSON.stringify({ ...asset, ...rest })])
    const dry = await admin('import assets assets.json --customer cedar --dry-run')
    expect(dry.out).toMatch(/^Assets {2}1 {2}1 new\n\nDry run: nothing was stored\.\n$/m)
    expect(await db.sql('cedar', 'SELECT id FROM assets')).toEqual([])
    expect((await admin('import assets assets.json --customer cedar')).out).toContain('Stored as import ')
    expect(await db.sql('cedar', 'SELECT kind FROM imports')).toEqual([{ kind: 'assets' }])
  })
})

test('A file of many customers is split by a map, listed once, displayed, and undone for all', async () => {
  const { out, code } = await admin('import focus costs --map map.csv --expect USD=1006.85')
  expect(code).toBe(0)
  expect(out).toMatch(/^alder +Red Rocks +A-2 /m)
  const id = /Stored as import (\S+)\./.exec(out)?.[1] ?? ''
  expect([await countInvoices('alder'), await countInvoices('birch')]).toEqual([1, 1])

  const list = await json('import list --json')
  const files = 'costs/1.csv and 1 more'
  expect(list[0]).toMatchObject({
    id,
    kind: 'focus',
    customer: 'alder, birch',
    files,
    added: '2',
    undone: null,
  })
  expect(await json('import list --customer birch --json')).toMatchObject([
    { id, customer: 'birch', added: '1' },
  ])
  expect((await admin('import list')).out).toMatch(/^id +time +kind +customer +files +added/)

  const output = await admin(`import show ${id}`)
  expect(output.out).toMatch(new RegExp(`^Import ${id} of focus for alder, birch, `))
  expect(output.out).toMatch(/^Invoices +2 +2 new$/m)
  expect(await json(`import show ${id} --json`)).toMatchObject({ import: id, customers: ['alder', 'birch'] })

  expect(await admin(`import undo ${id}`)).toEqual({
    code: 0,
    out: 'Undone: 2 removed, 0 voided, 0 as before\n',
    err: '',
  })
  expect([await countInvoices('alder'), await countInvoices('birch')]).toEqual([0, 0])
  expect((await admin(`import show ${id}`)).out).toMatch(/^Undone \d{4}-/m)
  expect(await admin(`import undo ${id}`)).toMatchObject({
    code: 1,
    err: expect.stringContaining('undone already'),
  })
})

test.each<[string, string, number?]>([
  ['import focus costs --customer cedar --replace', '--correct', 2],
  [
    'import focus costs --customer cedar --expect USD=1006.86',
    '1,006.86 USD is expected, and the files have 1,006.85 USD',
  ],
  ['import focus costs --customer nobody', 'no customer "nobody"'],
  ['import focus costs --map none.csv', 'none.csv: there is no such file'],
  ['import focus costs --customer cedar --issuer Us', '--prices', 2],
  ['import show 20260101-00000000', 'There is no import'],
  ['import undo 20260101-00000000', 'There is no import'],
])('%s is refused', async (args, reason, expected = 1) => {
  const { code, out, err } = await admin(args)
  expect([code, out]).toEqual([expected, ''])
  expect(err).toContain(reason)
  expect(await countInvoices('cedar')).toBe(0)
})

test('An undone import reports the issuers that it had changed', async () => {
  const invoice = {
    id: 'I-1',
    platform: 'web-services',
    issuer: { name: 'Iss', iban: 'CH9300762011623852957' },
    invoiceDate: '2026-09-30',
    dueDate: '2026-10-30',
    currency: 'USD',
    totalAmount: '10',
    lines: [{ description: 'Compute', price: '10', qty: 1 }],
  }
  write('iss.json', [JSON.stringify(invoice)])
  const done = await json('import invoices iss.json --customer alder --json')
  const { err } = await admin(`import undo ${done.import}`)
  expect(err).toContain('What it wrote down of Iss (address, bank) stays')
  expect((await admin('issuers list --customer alder')).out).toContain('CH9300762011623852957')
})

test('An import of a part of stored data advises to import all parts before --correct', async () => {
  await admin('import focus costs/2.csv --customer alder')
  const { err } = await admin('import focus costs/1.csv --customer alder')
  expect(err).toContain('If these files are a part of a bill, import all of its parts together.')
})
