import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LineItemRow } from '#lib/billing/invoices/store.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addInvoice, callerOf } from '#lib/platform/db/test-rows.ts'
import { readPages } from '#lib/platform/pdf/test-read.ts'
import { runBackfills } from '#lib/server/backfills/run.ts'
import { openAgain } from '#lib/server/backfills/store.ts'
import { readFile } from './files.ts'
import { renderInvoicePdf } from './layout.ts'
import { correctedOf, taxCorrection } from './reissue.ts'

let db: TestDatabase
let caller: Caller
const TAXED = { price: '119', qty: '1', taxCategory: 'S', taxRate: '19' }
const TOTAL = { currency: 'EUR', totalAmount: '119.00', balanceAmount: '119.00' }
const FIRST = Buffer.from('%PDF-1.7 with a false sentence')
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

beforeAll(async () => {
  db = await testDatabase()
  await addCustomer('northwind')
  caller = await callerOf('northwind', 'finance-user')
})
afterAll(() => db.close())

const write = (statement: string, values: unknown[] = []) => db.sql('northwind', statement, values)
const keepFirst = (id: string) =>
  write(
    `INSERT INTO invoice_files (customer_id, invoice_id, kind, digest, bytes) VALUES ('northwind', $1, 'drawn', $2, $3)`,
    [id, digest(FIRST), FIRST],
  )
const bytesOf = async (id: string, kind: 'drawn' | 'superseded') => (await readFile(caller, id, kind))?.bytes
const textOf = (bytes: Uint8Array = new Uint8Array()) =>
  readPages(bytes)
    .flat()
    .map(({ text }) => text)
    .join('\n')
const events = () =>
  write(`SELECT subject, details FROM audit_events WHERE action = 'invoice.file-reissued' ORDER BY id`)
async function correctAll(draw = renderInvoicePdf): Promise<void> {
  await openAgain('tax-of-gross-lines')
  await runBackfills({ signal: new AbortController().signal, backfills: [taxCorrection(draw)] })
}

describe('A PDF with the tax of gross lines calculated as if they were net', () => {
  test('is rendered again once; the first bytes stay stored, and the history lists both', async () => {
    await addInvoice('northwind', 'GROSS', { ...TOTAL, netAmount: '100', taxAmount: '19' }, [TAXED])
    await addInvoice('northwind', 'VOIDED', { ...TOTAL, balanceAmount: '0', documentState: 'voided' }, [
      TAXED,
    ])
    await addInvoice('northwind', 'NET', { ...TOTAL, netAmount: '100', taxAmount: '19' }, [
      { ...TAXED, price: '100' },
    ])
    for (const id of ['GROSS', 'VOIDED', 'NET']) await keepFirst(id)
    await correctAll()
    const again = textOf(await bytesOf('GROSS', 'drawn'))
    expect(again).toContain('Tax 19 % of 100.00 (calculated)\n19.00')
    expect(again).not.toMatch(/22\.61|do not add up/)
    expect(textOf(await bytesOf('VOIDED', 'drawn'))).toMatch(/^Invoice\n/)
    expect(Buffer.from((await bytesOf('GROSS', 'superseded')) ?? [])).toEqual(FIRST)
    expect(Buffer.from((await bytesOf('NET', 'drawn')) ?? [])).toEqual(FIRST)
    expect(await bytesOf('NET', 'superseded')).toBeUndefined()
    const after = digest((await bytesOf('GROSS', 'drawn')) ?? FIRST)
    expect(await events()).toMatchObject([
      { subject: 'GROSS', details: { before: digest(FIRST), after } },
      { subject: 'VOIDED', details: { before: digest(FIRST) } },
    ])
    await correctAll(() => Promise.reject(new Error('It is drawn a second time.')))
    expect(await events()).toHaveLength(2)
  })

  test('is not rendered again where it was never requested', async () => {
    await addInvoice('northwind', 'UNREAD', { ...TOTAL, netAmount: '100', taxAmount: '19' }, [TAXED])
    await correctAll()
    expect(await write("SELECT kind FROM invoice_files WHERE invoice_id = 'UNREAD'")).toEqual([])
  })
})

test('The backfill corrects net and tax amounts that an import calculated from gross lines', async () => {
  await addInvoice('northwind', 'STORED', { ...TOTAL, netAmount: '119.00', taxAmount: '22.61' }, [TAXED])
  await correctAll()
  expect(
    await write("SELECT net_amount, tax_amount, is_tax_calculated FROM invoices WHERE id = 'STORED'"),
  ).toEqual([{ net_amount: '100', tax_amount: '19', is_tax_calculated: true }])
})

describe('correctedOf', () => {
  const line = { ...TAXED, currency: 'EUR' } as unknown as LineItemRow
  const correct = (netAmount: string | null, taxAmount: string | null, totalAmount = '119', lines = [line]) =>
    correctedOf({ currency: 'EUR', totalAmount, netAmount, taxAmount }, lines)

  test.each([
    ['the issuer’s own figures', '100', '19', undefined],
    ['the issuer’s own figures that do not add up', '99', '19', undefined],
    ['nothing', null, null, undefined],
    ['a tax of the issuer beside a calculated net', '119', '19', ['100', '19', null]],
    ['a net of the issuer beside a calculated tax', '100', '22.61', ['100', '19', null]],
    ['two calculated ones', '119', '22.61', ['100', '19', true]],
  ])('leaves or corrects %s', (_, net, tax, expected) => {
    const found = correct(net, tax)
    expect(found && [found.netAmount, found.taxAmount, found.isTaxCalculated]).toEqual(expected)
  })

  test('removes amounts that do not add up to the total, and marks calculated amounts that do', () => {
    expect(correct('119', '22.61', '150')).toEqual({
      netAmount: null,
      taxAmount: null,
      isTaxCalculated: null,
    })
    expect(correct('119', '22.61', '141.61')).toMatchObject({ netAmount: '119', isTaxCalculated: true })
  })
})
