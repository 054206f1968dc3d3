import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { DEEP } from '../../test/fakes/deep.ts'
import { importAssetFile } from './asset-file.ts'
import { platformTable } from './focus/platforms.ts'
import { importFocus, importInvoiceFiles, type Run } from './run.ts'
import type { InvoiceCounts } from './schemas.ts'

const NONE = { added: 0, unchanged: 0, moved: 0, redrafted: 0, corrected: 0, superseded: 0, voided: 0 }
const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-run-'))
const TERMS = { platforms: platformTable(), dueDays: 30, paid: false }

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

/** Starts an import of this text for a new customer. */
async function newRun(text: string, more: Partial<Run> = {}) {
  const id = await addNewCustomer()
  const file = join(folder, `${id}.txt`)
  writeFileSync(file, text)
  return { paths: [file], file, ...more, customerId: newCustomerId(id) }
}
type OneFile = Awaited<ReturnType<typeof newRun>>

const focusCounts = async (run: Run): Promise<InvoiceCounts> => (await importFocus(run, TERMS)).report.counts
const invoiceCounts = async (run: Run) => (await importInvoiceFiles(run)).report.counts

const count = async (run: OneFile) => {
  const [row] = await db.sql(
    run.customerId,
    'SELECT (SELECT count(*)::int FROM invoices) AS invoices, (SELECT count(*)::int FROM line_items) AS lines, (SELECT count(*)::int FROM assets) AS assets',
  )
  return row
}
const audits = (run: OneFile) =>
  db.sql(run.customerId, 'SELECT action, subject, details FROM audit_events ORDER BY id')

const HEADER =
  'InvoiceIssuerName,BillingAccountId,BillingPeriodStart,BillingPeriodEnd,BillingCurrency,ProviderName,ServiceName,ChargeCategory,BilledCost'
const charge = (account: string, cost: string) =>
  `Resale,${account},2026-09-01,2026-10-01,USD,AWS,Compute,Usage,${cost}`

describe('importFocus', () => {
  test('stores the invoices with one audit row; a repeated import changes nothing', async () => {
    const text = [HEADER, charge('1', '1.004'), charge('1', '2'), charge('2', '-0.5')].join('\n')
    const run = await newRun(text)
    expect(await focusCounts(run)).toEqual({ ...NONE, added: 2, unchanged: 0 })
    expect(
      await db.sql(run.customerId, 'SELECT total_amount, balance_amount FROM invoices ORDER BY 1'),
    ).toEqual([
      { total_amount: '-0.50', balance_amount: '-0.50' },
      { total_amount: '3.00', balance_amount: '3.00' },
    ])
    expect(await focusCounts(run)).toEqual({ ...NONE, added: 0, unchanged: 2 })
    expect(await focusCounts({ ...run, correct: true })).toEqual({
      ...NONE,
      added: 0,
      unchanged: 2,
    })
    expect(await audits(run)).toEqual([
      {
        action: 'invoices.imported',
        subject: `${run.customerId}.txt`,
        details: { added: 2, unchanged: 0, charged: 2, import: expect.stringMatching(/^\d{8}-[0-9a-f]{8}$/) },
      },
    ])
  })

  test('refuses the same charges with an additional one, except with correct', async () => {
    const run = await newRun([HEADER, charge('1', '1')].join('\n'))
    await focusCounts(run)
    writeFileSync(run.file, [HEADER, charge('1', '1'), charge('1', '2'), charge('2', '1')].join('\n'))
    await expect(focusCounts(run)).rejects.toMatchObject({
      problems: [
        { column: 'totalAmount', reason: 'stored 1.00, given 3.00' },
        { column: 'lines[0].price' },
        { column: 'lines[0].details', reason: 'stored Usage, 1 charge, given Usage, 2 charges' },
      ],
    })
    expect(await count(run)).toEqual({ invoices: 1, lines: 1, assets: 0 })
    expect(await focusCounts({ ...run, correct: true })).toEqual({
      ...NONE,
      added: 1,
      corrected: 1,
    })
  })

  test('stores nothing of a file with one bad row', async () => {
    const rows = Array.from({ length: 3000 }, (_, index) => charge(String(index), '1'))
    const run = await newRun([HEADER, ...rows, charge('x', '1,5')].join('\n'))
    await expect(focusCounts(run)).rejects.toMatchObject({ problems: [{ line: 3002 }] })
    expect(await count(run)).toEqual({ invoices: 0, lines: 0, assets: 0 })
    expect(await audits(run)).toEqual([])
  })

  // More than one read of a file returns.
  const MANY = DEEP ? 200_000 : 20_000
  test(`adds up ${MANY} rows, and reports each as it is read`, async () => {
    const rows = Array.from({ length: MANY }, (_, index) => charge(String(index % 7), '0.001'))
    let progress = 0
    const run = await newRun([HEADER, ...rows].join('\n'), {
      onProgress: (line, what) => {
        if (what === undefined) progress = line
      },
    })
    expect(await focusCounts(run)).toMatchObject({ added: 7 })
    expect(progress).toBe(MANY + 1)
  })
})

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

describe('importInvoiceFiles', () => {
  test('stores several batches completely or not at all', async () => {
    const lines = Array.from({ length: 1200 }, (_, index) => invoice(`I-${index}`))
    const bad = await newRun([...lines, invoice('last', { currency: 'usd' })].join('\n'))
    await expect(invoiceCounts(bad)).rejects.toMatchObject({
      problems: [{ line: 1201, column: 'currency' }],
    })
    expect(await count(bad)).toEqual({ invoices: 0, lines: 0, assets: 0 })

    const good = await newRun(`[${lines.join(',\n')}]`)
    expect(await invoiceCounts(good)).toEqual({ ...NONE, added: 1200, unchanged: 0 })
    expect(await invoiceCounts(good)).toEqual({ ...NONE, added: 0, unchanged: 1200 })
    expect(await audits(good)).toHaveLength(1)
  })

  test('rolls back earlier writes on a signal', async () => {
    const lines = Array.from({ length: 3000 }, (_, index) => invoice(`I-${index}`))
    const controller = new AbortController()
    const onProgress = (read: number) => {
      if (read === 2500) controller.abort(new Error('Interrupted'))
    }
    const run = await newRun(lines.join('\n'), { onProgress, signal: controller.signal })
    await expect(invoiceCounts(run)).rejects.toThrow()
    expect(await count(run)).toEqual({ invoices: 0, lines: 0, assets: 0 })
  })

  test('stores a file once in parallel; the loser reports the conflict or finds it done', async () => {
    const run = await newRun(Array.from({ length: 300 }, (_, index) => invoice(`I-${index}`)).join('\n'))
    const outcomes = await Promise.allSettled([invoiceCounts(run), invoiceCounts(run)])
    const added = outcomes.map((each) => (each.status === 'fulfilled' ? each.value.added : 0))
    expect(added.sort()).toEqual([0, 300])
    expect(await count(run)).toEqual({ invoices: 300, lines: 300, assets: 0 })
  })
})

const assetCounts = async (run: OneFile, reseller?: string) =>
  (await importAssetFile({ ...run, replace: false }, reseller)).report.counts

test('importAssetFile stores both shapes, with the run’s contact where an asset has none', async () => {
  const asset = { id: 'web-services-1', type: 'web-services', name: 'Hosting', customerDomain: 'a.example' }
  const rest = {
    vendorCustomerId: 'C1',
    reseller: 'own@reseller.example',
    createdAt: '2025-01-01',
    subscription: null,
  }
  const google = {
    customerId: 'C1',
    customerDomain: 'a.example',
    subscriptionId: 'S',
    skuId: 'K',
    creationTime: '1740819600000',
    billingMethod: 'ONLINE',
    status: 'ACTIVE',
    plan: { planName: 'FLEXIBLE', isCommitmentPlan: false },
    seats: { maximumNumberOfSeats: 9, licensedNumberOfSeats: 3 },
  }
  const run = await newRun(JSON.stringify([{ ...asset, ...rest }, google]))
  expect(await assetCounts(run, 'us@reseller.example')).toEqual({ added: 2, unchanged: 0, replaced: 0 })
  expect(await assetCounts(run)).toEqual({ added: 0, unchanged: 2, replaced: 0 })
  expect(
    await db.sql(run.customerId, 'SELECT id, reseller, seats_purchased FROM assets ORDER BY id'),
  ).toEqual([
    { id: 'web-services-1', reseller: 'own@reseller.example', seats_purchased: null },
    { id: 'workspace-suite-C1-K', reseller: 'us@reseller.example', seats_purchased: 9 },
  ])
  expect(await audits(run)).toMatchObject([{ action: 'assets.imported', details: { added: 2 } }])
})
