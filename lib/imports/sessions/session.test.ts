import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import Big from 'big.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { platformTable } from '../focus/platforms.ts'
import { importFocus, importInvoiceFiles, type Run } from '../run.ts'
import { lockImports } from './lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-session-'))
const TERMS = { platforms: platformTable(), dueDays: 30, paid: false }
const HEADER =
  'InvoiceIssuerName,BillingAccountId,BillingPeriodStart,BillingPeriodEnd,BillingCurrency,ProviderName,ServiceName,ChargeCategory,BilledCost'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase({ today: '2026-11-22' })
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

type Charge = { account: string; currency: string; cost: string; service: string }

const charges: Charge[] = Array.from({ length: 200 }, (_, n) => ({
  account: `A-${n % 7}`,
  currency: n % 5 === 0 ? 'EUR' : 'USD',
  cost: `${(n % 3) - 0.5}${n}1`,
  service: `S-${n % 4}`,
}))
const csv = (rows: readonly Charge[]) =>
  [
    HEADER,
    ...rows.map(
      ({ account, currency, service, cost }) =>
        `Resale,${account},2026-09-01,2026-10-01,${currency},AWS,${service},Usage,${cost}`,
    ),
  ].join('\n')

function write(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content)
  return name
}
const newRun = async (paths: string[], more: Partial<Run> = {}) => {
  const customerId = newCustomerId(await addNewCustomer())
  return { paths, folder, customerId, ...more }
}
const invoice = (id: string, overrides: object = {}) =>
  JSON.stringify({
    id,
    platform: 'web-services',
    issuer: 'Resale',
    invoiceDate: '2026-09-30',
    dueDate: '2026-10-30',
    currency: 'USD',
    totalAmount: 2,
    lines: [{ description: 'Compute', price: 1, qty: 2 }],
    ...overrides,
  })

const invoicesOf = (customer: string) =>
  db.sql(
    customer,
    `SELECT i.id, i.currency, i.total_amount, (SELECT json_agg(json_build_array(l.description, l.price, l.details) ORDER BY l.position)
       FROM line_items l WHERE l.customer_id = i.customer_id AND l.invoice_id = i.id) AS lines
     FROM invoices i ORDER BY i.id`,
  )

/** Counts the rows of each table that has rows of customers, for these customers. */
async function countsOf(...customers: string[]): Promise<Record<string, number>> {
  const tables = await db.sql(
    '',
    `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'customer_id'`,
  )
  const counts: Record<string, number> = {}
  for (const { name } of tables)
    for (const customer of customers) {
      const query = `SELECT count(*)::int AS n FROM ${name} WHERE customer_id = '${customer}'`
      const [row] = await db.sql(customer, query).catch(() => [{ n: 0 }])
      counts[`${customer} ${name}`] = Number(row?.n)
    }
  return counts
}

describe('several files', () => {
  const parts = Array.from({ length: 10 }, (_, part) => charges.filter((_, n) => n % 10 === part))
  const names = parts.map((rows, part) =>
    part % 2 === 0 ? write(`part-${part}.csv`, csv(rows)) : write(`part-${part}.csv.gz`, gzipSync(csv(rows))),
  )

  test('have the sums of the whole, in every order', async () => {
    const whole = await newRun([write('whole.csv', csv(charges))])
    await importFocus(whole, TERMS)
    const expected = await invoicesOf(whole.customerId)
    expect(expected).toHaveLength(14)
    const sequences = [names, names.toReversed(), [...names.slice(3), ...names.slice(0, 3)]]
    for (const paths of sequences) {
      const run = await newRun(paths)
      await importFocus(run, TERMS)
      expect(await invoicesOf(run.customerId)).toEqual(expected)
    }
  })

  test('are reported with the sums that an independent count finds', async () => {
    const { report } = await importFocus(await newRun(names), TERMS)
    const sumOf = (items: Charge[]) => items.reduce((sum, { cost }) => sum.plus(cost), new Big(0))
    const exact = Map.groupBy(charges, ({ currency }) => currency)
    expect(report.sums.map(({ currency, exact: sum }) => [currency, sum])).toEqual(
      [...exact].map(([currency, items]) => [currency, sumOf(items).toFixed()]).sort(),
    )
    const groups = Map.groupBy(charges, ({ account, currency }) => `${account} ${currency}`)
    expect(report.groups.map((group) => [`${group.account} ${group.currency}`, group.exact]).sort()).toEqual(
      [...groups].map(([key, items]) => [key, sumOf(items).toFixed()]).sort(),
    )
    for (const group of report.groups) {
      const items = groups.get(`${group.account} ${group.currency}`) ?? []
      expect(group.invoiced).toBe(sumOf(items).round(2, Big.roundHalfUp).toFixed())
    }
    expect([report.rows, report.used, report.charges, report.invoices]).toEqual([200, 200, 200, 14])
    expect(report.files.map(({ rows, used }) => [rows, used])).toEqual(names.map(() => [20, 20]))
  })

  test('leave nothing where one in the middle cannot be read', async () => {
    const bad = write('bad.csv', `${csv(charges.slice(0, 3))},more`)
    const run = await newRun([names[0] ?? '', bad, names[1] ?? ''])
    const before = await countsOf(run.customerId)
    await expect(importFocus(run, TERMS)).rejects.toMatchObject({ problems: [{ file: 'bad.csv', line: 4 }] })
    expect(await countsOf(run.customerId)).toEqual(before)
  })

  test('of invoices reports a repeated one by its issuer and number', async () => {
    const paths = [
      write('one.ndjson', `${invoice('I-1')}\n${invoice('I-2')}`),
      write('two.json', `[${invoice('I-3')},\n${invoice('I-2', { issuer: 'Other', totalAmount: '7' })}]`),
      write('three.json', `${invoice('I-4')}\n${invoice('I-2')}`),
    ]
    const run = await newRun(paths)
    const before = await countsOf(run.customerId)
    await expect(importInvoiceFiles(run)).rejects.toMatchObject({
      problems: [
        { file: 'three.json', line: 2, column: 'id', reason: '"I-2" is on line 2 of one.ndjson already' },
      ],
    })
    expect(await countsOf(run.customerId)).toEqual(before)
    const { report } = await importInvoiceFiles({ ...run, paths: paths.slice(0, 2) })
    expect([report.rows, report.counts.added]).toEqual([4, 4])
  })
})

describe('an import', () => {
  test('is kept with its files and its report, and its invoices name it', async () => {
    const run = await newRun([write('kept.ndjson', invoice('I-1'))])
    const { importId, report } = await importInvoiceFiles(run)
    const [file] = report.files
    const files = [{ name: 'kept.ndjson', bytes: file?.bytes, sha256: file?.sha256 }]
    expect(await db.sql(run.customerId, 'SELECT id, kind, files, report FROM imports')).toEqual([
      { id: importId, kind: 'invoices', files, report },
    ])
    expect(await db.sql(run.customerId, 'SELECT import_id FROM invoices')).toEqual([{ import_id: importId }])
    expect(await db.sql(run.customerId, 'SELECT action, subject, details FROM audit_events')).toEqual([
      {
        action: 'invoices.imported',
        subject: 'kept.ndjson',
        details: { added: 1, unchanged: 0, import: importId },
      },
    ])
  })

  test('that changes nothing is listed, and the history stays empty', async () => {
    const run = await newRun([write('again.ndjson', invoice('I-1'))])
    await importInvoiceFiles(run)
    const { importId } = await importInvoiceFiles(run)
    const [last] = await db.sql(run.customerId, 'SELECT report FROM imports WHERE id = $1', [importId])
    expect(last?.report).toMatchObject({ counts: { added: 0, unchanged: 1 }, groups: [] })
    expect(await db.sql(run.customerId, 'SELECT action FROM audit_events')).toHaveLength(1)
  })

  test('that is a dry run reports the same and stores nothing', async () => {
    const run = await newRun([write('dry.ndjson', `${invoice('I-1')}\n${invoice('I-2')}`)])
    const before = await countsOf(run.customerId)
    const dry = await importInvoiceFiles({ ...run, isDryRun: true })
    expect(dry.importId).toBeUndefined()
    expect(await countsOf(run.customerId)).toEqual(before)
    expect((await importInvoiceFiles(run)).report).toEqual(dry.report)
    const after = await countsOf(run.customerId)
    expect(after).toMatchObject({ [`${run.customerId} invoices`]: 2, [`${run.customerId} imports`]: 1 })
    const again = await importInvoiceFiles({ ...run, isDryRun: true })
    expect([again.report.counts.unchanged, await countsOf(run.customerId)]).toEqual([2, after])
  })

  test('stores what is expected, and nothing else', async () => {
    const run = await newRun([
      write('expected.ndjson', `${invoice('I-1')}\n${invoice('I-2', { currency: 'EUR' })}`),
    ])
    const before = await countsOf(run.customerId)
    const wrong = { ...run, expected: { totals: { USD: '2', EUR: '2.01' }, invoices: 3 } }
    await expect(importInvoiceFiles(wrong)).rejects.toMatchObject({
      problems: [
        { reason: '3 invoices are expected, and the files have 2' },
        { reason: '2.01 EUR is expected, and the files have 2.00 EUR' },
      ],
    })
    expect(await countsOf(run.customerId)).toEqual(before)
    const right = { ...run, expected: { totals: { USD: '2', EUR: '2' }, invoices: 2 } }
    expect((await importInvoiceFiles(right)).report.counts.added).toBe(2)
  })

  test.each<[string, Partial<Run>, boolean[]]>([
    ['that arrive long after they were due', {}, [true, false]],
    ['that are imported as history', { isHistory: true }, [true, true]],
  ])('sends no reminders of invoices %s', async (_what, more, marked) => {
    const overdue = invoice('I-1', { invoiceDate: '2026-09-01', dueDate: '2026-10-22' })
    const notYetDue = invoice('I-2', { invoiceDate: '2026-09-01', dueDate: '2026-10-24' })
    const run = await newRun([write('history.ndjson', `${overdue}\n${notYetDue}`)], more)
    await importInvoiceFiles(run)
    const rows = await db.sql(run.customerId, 'SELECT is_history FROM invoices ORDER BY id')
    expect(rows.map(({ is_history }) => is_history)).toEqual(marked)
  })
})

test('two imports for one customer come one after the other', async () => {
  const run = await newRun([write('turn.ndjson', invoice('I-1'))])
  const calls: string[] = []
  const { promise: isWaiting, resolve: waits } = Promise.withResolvers<void>()
  const onProgress = (_count: number, what = '') => {
    if (what.includes('is waited for')) waits()
  }
  let second: Promise<unknown> | undefined
  await scope(run, async (tx) => {
    await lockImports(tx, run.customerId)
    second = importInvoiceFiles({ ...run, onProgress }).then(() => calls.push('second'))
    await isWaiting
    calls.push('first')
  })
  await second
  expect(calls).toEqual(['first', 'second'])
  expect(await invoicesOf(run.customerId)).toHaveLength(1)
})

test('an import that waits for its turn can be stopped', async () => {
  const stop = new AbortController()
  const run = await newRun([write('stop.ndjson', invoice('I-1'))], { signal: stop.signal })
  const onProgress = (_count: number, what = '') => {
    if (what.includes('is waited for')) stop.abort(new Error('Interrupted'))
  }
  await scope(run, async (tx) => {
    await lockImports(tx, run.customerId)
    await expect(importInvoiceFiles({ ...run, onProgress })).rejects.toThrow()
  })
  expect(await invoicesOf(run.customerId)).toEqual([])
})
