import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readInvoices } from './invoices.ts'

const INVOICE = {
  id: 'INV-1',
  platform: 'cloud-platform',
  issuer: 'Reseller Ltd',
  invoiceDate: '2026-10-31',
  dueDate: '2026-11-30',
  currency: 'EUR',
  totalAmount: 12.5,
  lines: [{ description: 'Compute', price: 2.5, qty: 5 }],
}

async function read(text: string) {
  const source = (async function* () {
    yield text
  })()
  const invoices = []
  for await (const invoice of readInvoices([{ name: '', text: source }])) invoices.push(invoice)
  return invoices
}

// The file's `id` contains the number.
const { id: number, ...others } = INVOICE
const READ = { ...others, number }

const importErrorOf = async (...objects: unknown[]) => {
  const text = objects
    .map((object) => (typeof object === 'string' ? object : JSON.stringify(object)))
    .join('\n')
  const error = await read(text).catch((thrown: unknown) => thrown)
  return (error as { problems?: { line: number; column: string; reason: string }[] }).problems
}

describe('readInvoices', () => {
  test('reads an array, and leaves missing fields out', async () => {
    expect(await read(JSON.stringify([INVOICE]))).toEqual([
      {
        ...READ,
        totalAmount: '12.5',
        lines: [{ type: 'cloud-platform', description: 'Compute', price: '2.5', qty: '5', details: null }],
      },
    ])
  })

  test('reads all fields of an invoice', async () => {
    const line = { type: 'web-services', description: 'Tax', price: '-0.10', qty: '1', details: 'VAT' }
    const whole = { ...INVOICE, billingProfileId: 'emea', balanceAmount: '0', lines: [line] }
    expect(await read(JSON.stringify(whole))).toMatchObject([
      {
        ...READ,
        billingProfileId: 'emea',
        balanceAmount: '0',
        totalAmount: '12.5',
        lines: [{ ...line, price: '-0.1' }],
      },
    ])
  })

  test('reads the life cycle, account and period of an invoice', async () => {
    const more = {
      documentState: 'draft',
      form: 'summary',
      billingAccount: 'A-1',
      periodStart: '2026-10-01',
      periodEnd: '2026-11-01',
      corrects: 'INV-0',
    }
    expect(await read(JSON.stringify({ ...INVOICE, ...more }))).toMatchObject([more])
  })

  test.each<[string, object, string]>([
    ['documentState', { documentState: 'open' }, 'is not draft, issued or voided'],
    ['form', { form: 'paper' }, 'is not invoice or summary'],
    ['periodEnd', { periodStart: '2026-10-01' }, 'and periodStart come together'],
    ['periodEnd', { periodEnd: '2026-10-01' }, 'and periodStart come together'],
    ['periodEnd', { periodStart: '2026-10-01', periodEnd: '2026-10-01' }, 'is not after periodStart'],
    ['periodStart', { periodStart: '2026-02-30', periodEnd: '2026-10-01' }, 'is not a date'],
    ['corrects', { corrects: 'INV-1' }, 'is the invoice itself'],
    ['balanceAmount', { documentState: 'draft', balanceAmount: 1 }, 'nothing is owed'],
    ['balanceAmount', { documentState: 'voided', balanceAmount: '1e-40' }, 'nothing is owed'],
  ])('refuses %s in %j', async (column, value, reason) => {
    expect(await importErrorOf({ ...INVOICE, ...value })).toMatchObject([
      { line: 1, column, reason: expect.stringContaining(reason) },
    ])
  })

  test('knows an invoice, its issuer and account whatever space is around their names', async () => {
    const spaced = { ...INVOICE, id: ' INV-1 ', issuer: { name: 'Reseller Ltd ' }, billingAccount: ' A-1' }
    expect(await read(JSON.stringify({ ...spaced, corrects: 'INV-0\u00a0' }))).toEqual([
      { ...(await read(JSON.stringify(INVOICE)))[0], billingAccount: 'A-1', corrects: 'INV-0' },
    ])
    expect(await importErrorOf({ ...INVOICE, id: ' ' })).toMatchObject([{ column: 'id', reason: 'is empty' }])
  })

  test('keeps every digit of a number', async () => {
    const text = JSON.stringify(INVOICE).replace('12.5', '123456789012345.678901234567890123')
    expect(await read(text)).toMatchObject([{ totalAmount: '123456789012345.678901234567890123' }])
    expect(await read(JSON.stringify(INVOICE).replace('12.5', '1.25e1'))).toMatchObject([
      { totalAmount: '12.5' },
    ])
  })

  test.each([
    ['totalAmount', 'abc'],
    ['totalAmount', '1,5'],
    ['totalAmount', null],
    ['totalAmount', '1e999999'],
    ['totalAmount', true],
    ['currency', 'eur'],
    ['invoiceDate', '2026-02-30'],
    ['invoiceDate', '2026-10-31T00:00:00Z'],
    ['dueDate', '2026-10-30'],
    ['platform', 'Web Services'],
    ['platform', 'a|b'],
    ['id', ''],
    ['id', '..'],
    ['id', 'x'.repeat(301)],
    ['id', 'a\u0000b'],
    ['id', 'a\ud800b'],
    ['id', 7],
    ['lines', []],
    ['lines', {}],
    ['issuer', undefined],
  ])('refuses %s %j, with its line', async (column, value) => {
    const [problem, ...more] = (await importErrorOf(INVOICE, { ...INVOICE, id: 'B', [column]: value })) ?? []
    expect(problem).toMatchObject({ line: 2, column })
    expect(more).toEqual([])
  })

  test.each([
    ['XXX', 'is XXX, which says that there is no currency'],
    ['XTS', 'is XTS, which is for tests and no currency'],
    ['ABC', 'is ABC, which is no currency of ISO 4217'],
    ['usd', 'is not a three-letter code such as USD'],
  ])('refuses the currency %s, and accepts a withdrawn one', async (currency, reason) => {
    expect(await importErrorOf({ ...INVOICE, currency })).toEqual([{ line: 1, column: 'currency', reason }])
    expect(await read(JSON.stringify({ ...INVOICE, currency: 'DEM' }))).toMatchObject([{ currency: 'DEM' }])
  })

  test('reports the path of an error inside an object', async () => {
    const lines = [INVOICE.lines[0], { description: 'x', price: 'y' }]
    expect(await importErrorOf({ ...INVOICE, lines, colour: 'red' })).toMatchObject([
      { column: 'lines[1].price' },
      { column: 'lines[1].qty' },
      { reason: expect.stringContaining('colour') },
    ])
  })

  test('reads an issuer by its name, or with all fields', async () => {
    const details = {
      address: 'Kai 1\r\n Zurich ',
      taxId: '',
      iban: 'ch93 0076 2011 6238 5295 7',
      bic: 'KAIACHZZ',
      terms: null,
    }
    const whole = { ...INVOICE, issuer: { name: 'Reseller Ltd', ...details } }
    expect(await read(JSON.stringify(whole))).toMatchObject([
      {
        issuer: 'Reseller Ltd',
        issuerDetails: {
          address: 'Kai 1\nZurich',
          taxId: null,
          iban: 'CH9300762011623852957',
          bic: 'KAIACHZZ',
          terms: null,
        },
      },
    ])
    const [named] = await read(JSON.stringify({ ...INVOICE, issuer: { name: 'Reseller Ltd' } }))
    expect(named).not.toHaveProperty('issuerDetails')
  })

  test.each([
    [
      'iban',
      'CH9300762011623852958',
      'issuer.iban',
      'is no IBAN: its country, length or check digits do not fit',
    ],
    ['bic', 'x', 'issuer.bic', 'is no BIC such as ABCDDEFFXXX'],
    ['address', 'a\u0000', 'issuer.address', 'has a control character in it'],
    ['address', '\n'.repeat(10), 'issuer.address', 'has 11 lines, and at most 10 are kept'],
    ['name', '', 'issuer.name', 'is empty'],
    ['swift', 'x', 'issuer', 'Unrecognized key: "swift"'],
  ])('refuses an issuer whose %s is %j', async (field, value, column, reason) => {
    const issuer = { name: 'Reseller Ltd', [field]: value }
    expect(await importErrorOf({ ...INVOICE, issuer })).toEqual([{ line: 1, column, reason }])
  })

  test('refuses the same id twice, and names both lines', async () => {
    expect(await importErrorOf(INVOICE, { ...INVOICE, id: 'B' }, INVOICE)).toEqual([
      { line: 3, column: 'id', reason: '"INV-1" is on line 1 already' },
    ])
  })

  test('refuses text between braces that is not JSON, and continues', async () => {
    expect(await importErrorOf('{"id": nothing}', '{"id":}', { ...INVOICE, id: '' })).toMatchObject([
      { line: 1, reason: expect.stringContaining('not JSON') },
      { line: 2, reason: expect.stringContaining('not JSON') },
      { line: 3, column: 'id' },
    ])
  })

  test('stops at 20 problems', async () => {
    expect(
      await importErrorOf(...Array.from({ length: 50 }, () => ({ ...INVOICE, currency: 1 }))),
    ).toHaveLength(20)
  })

  test('treats __proto__ as an unknown field', async () => {
    const text = JSON.stringify(INVOICE).replace('{', '{"__proto__":{"balanceAmount":"0"},')
    expect(await importErrorOf(text)).toMatchObject([{ line: 1 }])
  })
})

test('The example in docs/operate/imports.md is valid', async () => {
  const blocks = [...readFileSync('docs/operate/imports.md', 'utf8').matchAll(/```json\n(.*?)```/gs)]
  const example = blocks.map(([, text = '']) => text).find((text) => text.includes('INV-2026'))
  expect((await read(example ?? '')).map(({ number }) => number)).toEqual(['INV-2026-0917'])
})
