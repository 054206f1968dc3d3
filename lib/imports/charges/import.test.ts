import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ChargeRow, DetailRow } from './test-charges.ts'
import { importErrorOf, importers } from './test-importers.ts'

let importSession: Awaited<ReturnType<typeof importers>>
beforeAll(async () => {
  importSession = await importers()
})
afterAll(() => importSession.close())

const importer = () => importSession.importer()
const bill = (...rows: DetailRow[]) => importSession.bill(...rows)
const usage = (...rows: ChargeRow[]) => importSession.usage(...rows)

describe('the sample of docs/focus-1.4, which is made by us', () => {
  test('is one import: a bill reconciled to zero, and one with its planted differences', async () => {
    const { load, read, list } = await importer()
    const { report } = await load(['docs/focus-1.4/'], {}, { tags: ['team'] })
    expect(report).toMatchObject({
      counts: { added: 2 },
      charged: { added: 2, unchanged: 0, replaced: 0 },
      charges: 17,
      rows: 26,
    })
    const whole = await read('NC-2026-1001')
    expect(whole).toMatchObject({ totalAmount: 589.15, form: 'invoice', purchaseOrder: 'PO-2207' })
    expect(whole.charges).toEqual({
      ...{ count: 12, amount: 589.15, agrees: true, differenceAmount: 0, roundingAmount: 0 },
      corrections: { count: 1, amount: -4.8 },
      ...{ apart: { count: 0, amount: 0 }, withoutLine: { count: 0, amount: 0 } },
      withoutCharges: { count: 0, amount: 0 },
      categories: [
        ['Adjustment', -4.8],
        ['Credit', -20],
        ['Purchase', 100],
        ['Tax', 44.15],
        ['Usage', 469.8],
      ].map(([category, amount]) => ({
        ...{ category, billedAmount: amount, chargesAmount: amount, differenceAmount: 0 },
      })),
    })
    expect(whole.lineItems[0]).toMatchObject({
      ...{ description: 'Compute, Zurich', detailId: 'D-1', chargeCategory: 'Usage', amount: 412.5 },
      ...{ paymentCurrency: 'CHF', paymentAmount: 363, grain: '{"ServiceName":"Compute"}' },
      charges: { count: 4, amount: 412.5, agrees: true, differenceAmount: 0 },
    })
    const planted = await read('NC-2026-1002')
    expect(planted.charges).toMatchObject({
      ...{ count: 5, amount: 273.65, agrees: false, differenceAmount: 87.4, roundingAmount: 0 },
      ...{ apart: { count: 1, amount: 12.4 }, withoutLine: { count: 2, amount: 5 } },
      withoutCharges: { count: 1, amount: 80 },
    })
    expect(planted.lineItems.map(({ detailId, charges }) => [detailId, charges?.differenceAmount])).toEqual([
      ['E-1', 12.4],
      ['E-3', undefined],
      ['E-2', 0],
    ])
    const { charges: lost } = await list({ withoutLine: 'true' }, 'NC-2026-1002')
    expect(lost.map(({ detailId, amount }) => [detailId, amount])).toEqual([
      [undefined, 1.25],
      ['E-9', 3.75],
    ])
    const { charges: lineCharges } = await list({ line: 'D-5' }, 'NC-2026-1001')
    expect(lineCharges).toEqual([
      {
        ...{ position: expect.any(Number), detailId: 'D-5', chargeCategory: 'Adjustment' },
        ...{ chargeClass: 'Correction', serviceName: 'Object storage', billingAccount: '4400-11' },
        ...{ description: 'Storage was metered twice in September', subAccount: 'archive' },
        ...{ periodStart: Date.UTC(2026, 8, 1), periodEnd: Date.UTC(2026, 9, 1), quantity: -80 },
        ...{ unit: 'GB-Months', amount: -4.8, currency: 'USD', tags: { team: 'data' } },
      },
    ])
  })
})

describe('a bill and its charges', () => {
  const TWO: DetailRow[] = [{}, { InvoiceDetailId: 'D-2', BilledCost: '5', ChargeCategory: 'Tax' }]
  const FINE: ChargeRow[] = [
    { BilledCost: '3.3333333333' },
    { BilledCost: '6.6666666667' },
    { InvoiceDetailId: 'D-2', BilledCost: '4.996', ChargeCategory: 'Tax' },
  ]
  const RECONCILED = { agrees: true, count: 3, differenceAmount: 0.004, roundingAmount: 0.004 }

  test.each<[string, (b: string, u: string) => string[][]]>([
    ['together', (b, u) => [[b, u]]],
    ['bill first', (b, u) => [[b], [u]]],
    ['charges first', (b, u) => [[u], [b]]],
    ['each twice', (b, u) => [[u], [b], [u], [b], [b, u]]],
  ])('lead to the same %s, and the bill decides the amount owed', async (_, imports) => {
    const { load, read, amounts, count } = await importer()
    const steps = imports(bill(...TWO), usage(...FINE))
    for (const paths of steps) await load(paths)
    const id = (await amounts()).at(-1)?.[0]
    expect((await amounts()).filter(([, state]) => state === 'issued')).toEqual([
      [id, 'issued', 'invoice', 15, 15],
    ])
    expect((await read(id)).charges).toMatchObject(RECONCILED)
    expect(await count()).toBe(3)
  })

  test('replace the summary of earlier charges: payments stay, and the summary names its replacement', async () => {
    const { load, read, amounts, id } = await importer()
    await load([usage(...FINE)])
    expect(await amounts()).toEqual([['N-1', 'issued', 'summary', 15, 15]])
    await importSession.db.sql(id, 'UPDATE invoices SET balance_amount = 4')
    const { report } = await load([bill(...TWO)])
    expect(report.counts).toMatchObject({ corrected: 1, added: 0 })
    expect((await amounts()).map(([, ...rest]) => rest)).toEqual([
      ['voided', 'summary', 15, 0],
      ['issued', 'invoice', 15, 4],
    ])
    const summary = await read('N-1~1')
    expect([summary.charges, summary.replacedBy]).toEqual([undefined, 'N-1'])
    expect((await read(summary.replacedBy)).charges).toMatchObject(RECONCILED)
  })

  test('replace the earlier charges if they differ, in any order; the bill stays', async () => {
    const { load, read, list, amounts, count } = await importer()
    await load([bill(...TWO), usage(...FINE)])
    const before = await amounts()
    const again = await load([usage(...FINE.toReversed())])
    expect(again.report).toMatchObject({ counts: { unchanged: 1 }, charged: { unchanged: 1, replaced: 0 } })
    const other = await load([usage({ BilledCost: '9' }, { InvoiceDetailId: 'D-2', BilledCost: '5' })])
    expect(other.report.charged).toEqual({ added: 0, unchanged: 0, replaced: 1 })
    expect((await read()).charges).toMatchObject({ agrees: false, differenceAmount: 1, count: 2 })
    expect((await list()).charges.map(({ amount }) => amount)).toEqual([9, 5])
    expect(await amounts()).toEqual(before)
    expect(await count()).toBe(5)
  })

  test('are removed by undo, which restores the earlier ones; not after later charges', async () => {
    const { load, read, undo, count } = await importer()
    await load([bill(...TWO)])
    const first = await load([usage(...FINE)])
    const second = await load([usage({ BilledCost: '9' })])
    await expect(undo(first.importId)).rejects.toThrow(`has charges of the import ${second.importId}`)
    expect(await undo(second.importId)).toMatchObject({ charged: 1, restored: 0 })
    expect((await read()).charges).toMatchObject(RECONCILED)
    expect(await undo(first.importId)).toMatchObject({ charged: 1 })
    expect((await read()).charges).toBeUndefined()
    expect(await count()).toBe(0)
  })

  test('two parallel imports leave one set of charges', async () => {
    const { load, count, list, id } = await importer()
    await load([bill(...TWO)])
    await Promise.all([load([usage(...FINE)]), load([usage(...FINE.toReversed())])])
    expect(await count()).toBe(3)
    await Promise.all([load([usage({ BilledCost: '1' })]), load([usage({ BilledCost: '2' })])])
    expect((await list()).rowCount).toBe(1)
    expect(await importSession.db.sql(id, 'SELECT FROM charge_sets WHERE replaced_by IS NULL')).toHaveLength(
      1,
    )
  })

  test('a dry run stores neither', async () => {
    const { load, amounts, count } = await importer()
    expect((await load([bill(...TWO), usage(...FINE)], { isDryRun: true })).report.charged?.added).toBe(1)
    expect([await amounts(), await count()]).toEqual([[], 0])
  })

  test('of another currency are refused, in one import and in two', async () => {
    const { load, count } = await importer()
    const [b, u] = [bill(...TWO), usage({ BillingCurrency: 'EUR' })]
    const reason = 'is in USD, and its charges are in EUR'
    expect(await importErrorOf(load([b, u]))).toMatchObject([{ subject: 'invoice N-1', reason }])
    await load([b])
    expect(await importErrorOf(load([u], { correct: true }))).toMatchObject([{ reason }])
    expect(await count()).toBe(0)
  })

  test('of another issuer, or without the bill’s number, do not belong to the bill', async () => {
    const { load, read, amounts } = await importer()
    const other = usage({ InvoiceIssuerName: 'Other Cloud', ServiceProviderName: 'Other Cloud' })
    await load([bill(...TWO), other], { answer: 'another' })
    expect((await read()).charges).toBeUndefined()
    expect((await amounts()).map(([, , form, total]) => [form, total])).toEqual([
      ['invoice', 15],
      ['summary', 10],
    ])
  })

  test('an id of a line that comes twice is refused', async () => {
    const { load } = await importer()
    expect(await importErrorOf(load([bill({}, {}), usage({})]))).toMatchObject([
      { column: 'InvoiceDetailId' },
    ])
  })

  test('of a draft without a number are linked to the draft, and do not issue it', async () => {
    const { load, read, amounts } = await importer()
    const open = { InvoiceId: '', InvoiceIssueStatus: 'Open', InvoiceIssueDate: '', PaymentDueDate: '' }
    await load([bill({ ...open })])
    await load([usage({ InvoiceId: '', BilledCost: '4' })])
    const id = (await amounts())[0]?.[0]
    expect(await amounts()).toEqual([[id, 'draft', 'invoice', 10, 0]])
    expect((await read(id)).charges).toMatchObject({ differenceAmount: 6, agrees: false })
    // Once it is issued under a number, its charges come with that number.
    await load([bill({}), usage({})])
    expect((await read()).charges).toMatchObject({ agrees: true, differenceAmount: 0 })
  })

  test('of a voided bill explain it, and nothing is owed', async () => {
    const { load, read, amounts } = await importer()
    await load([bill({ InvoiceIssueStatus: 'Voided' }), usage({})])
    await load([usage({ BilledCost: '8' })])
    expect(await amounts()).toEqual([['N-1', 'voided', 'invoice', 10, 0]])
    expect((await read()).charges).toMatchObject({ differenceAmount: 2 })
  })

  test('a line that sums others up in the currency of payment needs no charges', async () => {
    const { load, read } = await importer()
    await load([bill({}, { InvoiceDetailId: 'D-9', BilledCost: '0' }), usage({})])
    expect((await read()).charges).toMatchObject({ agrees: true, withoutCharges: { count: 0 } })
  })

  test('keep odd texts unchanged, and drop values that no text can hold', async () => {
    const { load, list } = await importer()
    const odd = '=HYPERLINK("http://x"),\u202e“q”'
    const tags = JSON.stringify({ team: '=1+1', stage: 5, secret: 'x', bad: 'a\u0000b' })
    await load(
      [
        usage(
          { ChargeDescription: odd, Tags: tags },
          { ChargeDescription: 'a\u0007b', Tags: '{no', BilledCost: '1' },
        ),
      ],
      {},
      { tags: ['team', 'stage', 'bad', '__proto__'] },
    )
    const { charges: rows } = await list()
    expect(rows).toMatchObject([{ description: odd, tags: { team: '=1+1', stage: '5' } }, { amount: 1 }])
    expect([rows[0]?.tags, rows[1]?.description, rows[1]?.tags]).toEqual([
      { team: '=1+1', stage: '5' },
      undefined,
      undefined,
    ])
  })
})
