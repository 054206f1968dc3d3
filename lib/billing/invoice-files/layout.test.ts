import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { partyOf } from '#lib/billing/parties/rules.ts'
import { PAGE } from '#lib/platform/pdf/document.ts'
import { pdfErrors } from '#lib/platform/pdf/test-check.ts'
import { objectsOf, type Run, readPages } from '#lib/platform/pdf/test-read.ts'
import { MAX_PRINTED_LINES } from './document.ts'
import { renderInvoicePdf } from './layout.ts'

type Invoice = Parameters<typeof renderInvoicePdf>[0]
type Line = Parameters<typeof renderInvoicePdf>[1][number]

const NOBODY = partyOf({ name: 'Nobody' })
const invoice: Invoice = {
  number: 'IN-203610',
  documentState: 'issued',
  form: 'invoice',
  platform: 'cloud-platform',
  invoiceDate: '2026-09-30',
  dueDate: '2026-10-30',
  currency: 'USD',
  totalAmount: '39004.92',
  billingAccount: null,
  periodStart: null,
  periodEnd: null,
  corrects: null,
  seller: {
    name: 'Alpine Cloud Reselling',
    address: 'Kai 1\nHinterhof',
    postcode: '8001',
    city: 'Zurich',
    country: 'CH',
    taxId: 'CHE-1',
    registration: 'CH-020.1',
    bank: 'Bank am Kai',
    iban: 'CH9300762011623852957',
    bic: 'KAIACHZZ',
    account: null,
    terms: '30 days net',
  },
  buyer: { ...NOBODY, name: 'Northwind Labs', address: '12 Harbour Street\nHamburg', taxId: 'DE 123' },
}

function line(overrides: Partial<Line> = {}): Line {
  const { type, details } = { type: 'cloud-platform', details: null }
  return {
    position: 1,
    type,
    description: 'Storage',
    price: '19.24',
    qty: '412.6',
    currency: 'USD',
    details,
    ...overrides,
  }
}

/** The texts of all pages, in the order in which they were drawn. */
async function textsOf(overrides: Partial<Invoice>, lines: Line[] = [line()]): Promise<string[]> {
  return readPages(await renderInvoicePdf({ ...invoice, ...overrides }, lines)).flatMap((page) =>
    page.map(({ text }) => text),
  )
}

describe('An invoice as a PDF', () => {
  test('contains the parties, dates, lines and amounts', async () => {
    const texts = await textsOf({}, [
      line({ details: '1 Sep – 30 Sep' }),
      line({ qty: '-96410', price: '0.02' }),
    ])
    for (const text of [
      ...['Alpine Cloud Reselling', 'Northwind Labs', '12 Harbour Street', 'Hamburg', 'Tax ID DE 123'],
      ...['IN-203610', '30 Sep 2026', '30 Oct 2026', 'Cloud platform', 'USD'],
      ...['Storage', '1 Sep – 30 Sep', '412.6', '19.24', '7,938.42', '−96,410', '0.02', '−1,928.20'],
      ...['6,010.22', 'Not itemized', '32,994.70', 'Total', '39,004.92 USD', '1 of 1'],
      ...['Kai 1', 'Hinterhof', '8001 Zurich', 'Switzerland', 'Tax ID CHE-1', 'Registration CH-020.1'],
      ...['Payment', 'Reference', 'Bank am Kai', 'CH93 0076 2011 6238 5295 7', 'KAIACHZZ', '30 days net'],
    ])
      expect(texts).toContain(text)
  })

  test('has equal bytes for equal rows, and different bytes for different rows', async () => {
    const [first, again] = [
      await renderInvoicePdf(invoice, [line()]),
      await renderInvoicePdf(invoice, [line()]),
    ]
    expect(Buffer.compare(first, again)).toBe(0)
    const other = await renderInvoicePdf({ ...invoice, totalAmount: '39004.93' }, [line()])
    expect(Buffer.compare(first, other)).not.toBe(0)
  })

  test('contains the period with its last day, the billing account and the corrected invoice', async () => {
    const period = { periodStart: '2026-09-01', periodEnd: '2026-10-01' }
    const texts = await textsOf({ ...period, billingAccount: 'BA-7', corrects: 'IN-1' })
    for (const [label, value] of [
      ['Period', '1 Sep 2026 – 30 Sep 2026'],
      ['Billing account', 'BA-7'],
      ['Corrects', 'IN-1'],
    ] as const)
      expect(texts[texts.indexOf(label) + 1]).toBe(value)
    const without = await textsOf({})
    for (const label of ['Period', 'Billing account', 'Corrects']) expect(without).not.toContain(label)
  })

  test('contains the posting details, and the tax, net and gross amounts', async () => {
    const posting = { purchaseOrder: 'PO-7', buyerReference: 'B-7', costCenter: '4711' }
    const posted = {
      ...posting,
      paymentTerms: '14 days',
      totalAmount: '119.00',
      netAmount: '100',
      taxAmount: '19',
    }
    const group = { category: 'S', rate: '19', taxableAmount: '100', taxAmount: '19' }
    const linePosting = {
      taxCategory: 'S',
      taxRate: '19',
      periodStart: '2026-09-01',
      periodEnd: '2026-10-01',
    }
    const texts = await textsOf({ ...posted, taxBreakdown: [group] }, [
      line({ price: '100', qty: '1', ...linePosting }),
    ])
    for (const [label, value] of [
      ['Purchase order', 'PO-7'],
      ['Your reference', 'B-7'],
      ['Cost center', '4711'],
      ['Tax 19 % of 100.00', '19.00'],
      ['Total', '119.00 USD'],
      ['Terms', '14 days'],
    ] as const)
      expect(texts[texts.indexOf(label) + 1]).toBe(value)
    expect(texts).toContain('1 Sep 2026 – 30 Sep 2026')
    expect(texts.filter((text) => text.includes('19 %'))).toEqual(['Tax 19 % of 100.00'])
    const odd = await textsOf({ ...posted, totalAmount: '119.02', taxBreakdown: [group] }, [line()])
    expect(odd[odd.indexOf('Tax') + 1]).toBe('19.00')
    expect(odd.join(' ')).toContain('net and tax together are 0.02 USD below the total')
    const without = await textsOf({})
    for (const label of ['Purchase order', 'Your reference', 'Cost center', 'Tax', 'Net'])
      expect(without).not.toContain(label)
  })

  test('has the same bytes regardless of earlier and parallel renderings', async () => {
    const texts = ['3x4 -> A·Α·А', '3×4 → Α·A·А', 'ﬁ fi ‐ - ‑']
    const render = (text: string) =>
      renderInvoicePdf({ ...invoice, number: text }, Array(60).fill(line({ description: text })))
    const alone = []
    for (const text of texts) alone.push(await render(text))
    const concurrent = await Promise.all([...texts, ...texts].reverse().map(render))
    for (const [index, file] of [...alone, ...alone].reverse().entries())
      expect(Buffer.compare(file, concurrent[index] ?? file)).toBe(0)
    const read = readPages(alone[1] ?? new Uint8Array()).flat()
    expect(read.filter(({ text }) => text === texts[1])).toHaveLength(62)
  })

  test('has a title and embedded fonts, and no active content', async () => {
    const bytes = await renderInvoicePdf(invoice, [line()])
    const file = Buffer.from(bytes).toString('latin1')
    expect(pdfErrors(bytes)).toEqual([])
    for (const part of ['(Invoice IN-203610)', '/Lang (en)', 'D:20260930000000Z', '2026-09-30T00:00:00Z'])
      expect(file).toContain(part)
  })

  // As long as what they take the place of: the table of objects stays right.
  test.each([
    ['/Marked true', '/Marked nope', 'is not tagged'],
    ['/Lang (en)', '/Lang1(en)', 'names no language'],
    ['/ViewerPreferences', '/OpenAction       ', 'has /OpenAction'],
    ['/Names', '/AA   ', 'has /AA'],
    ['/FontFile2', '/FontFile3', 'has a font that is not embedded'],
    ['/GTS_PDFA1', '/GTS_PDFX1', 'has no output intent'],
    ['<pdfaid:part>2', '<pdfaid:part>&', 'has XML that is not well-formed'],
    ['startxref\n', 'startxref\n1', 'its table is elsewhere'],
  ])('A file with %j as %j is detected', async (part, other, error) => {
    const file = Buffer.from(await renderInvoicePdf(invoice, [line()])).toString('latin1')
    expect(file).toContain(part)
    expect(pdfErrors(Buffer.from(file.replace(part, other), 'latin1'))).toContain(error)
  })

  test.each([
    ['JPY', '120000', '120,000 JPY', '0.5', '1'],
    ['KWD', '7.5', '7.500 KWD', '0.0005', '0.001'],
    ['USD', '-5', '−5.00 USD', '-0.005', '−0.01'],
    ['USD', '10.005', '10.005 USD', '10.005', '10.01'],
    ['USD', '90071992547409931.10', '90,071,992,547,409,931.10 USD', '1', '1.00'],
  ])(
    'formats %s in its minor unit, and prints a total of %s exactly',
    async (currency, totalAmount, formatted, price, amount) => {
      const texts = await textsOf({ currency, totalAmount }, [line({ currency, price, qty: '1' })])
      expect(texts[texts.indexOf('Total') + 1]).toBe(formatted)
      expect(texts).toContain(amount)
    },
  )
})

describe('An unknown value is omitted', () => {
  test('for a seller with only a name', async () => {
    const texts = await textsOf({ seller: NOBODY })
    for (const text of ['Nobody', 'Payment', 'Payable by', 'Reference']) expect(texts).toContain(text)
    for (const label of ['Account holder', 'Bank', 'IBAN', 'BIC', 'Account', 'Terms'])
      expect(texts).not.toContain(label)
    expect(texts.join()).not.toMatch(/null|undefined|NaN/)
  })

  test('for a buyer without an address and tax id', async () => {
    const texts = await textsOf({ buyer: { ...NOBODY, name: 'Northwind Labs' } })
    expect(texts).toContain('Northwind Labs')
    expect(texts.join()).not.toMatch(/null|undefined|NaN|DE 123/)
  })
})

test.each([
  ['HUF', '10.49', '10.49'],
  ['PKR', '0.45', '0.45'],
  ['HUF', '1234.56', '1,234.56'],
  ['USD', '999999999999999.99', '999,999,999,999,999.99'],
])(
  'A PDF contains the exact %s %s: price, amount, line items and total',
  async (currency, amount, formatted) => {
    const overrides = { currency, totalAmount: amount }
    const texts = await textsOf(overrides, [line({ currency, price: amount, qty: '1' })])
    expect(texts.filter((text) => text === formatted)).toHaveLength(3)
    expect(texts.filter((text) => text === `${formatted} ${currency}`)).toHaveLength(1)
  },
)

describe('A document that demands no payment', () => {
  test('is a credit note if its total is negative, and contains no bank details', async () => {
    const texts = await textsOf({ totalAmount: '-12.50', corrects: 'IN-7' })
    for (const text of ['Credit note', 'Credit note number', 'Credit note date', '−12.50 USD', 'IN-7'])
      expect(texts).toContain(text)
    for (const text of ['Payment', 'IBAN', 'Due date']) expect(texts).not.toContain(text)
    expect(await textsOf({ totalAmount: '-0.00' })).toContain('Invoice')
  })

  test.each<[Partial<Invoice>, string, string]>([
    [{ form: 'summary' }, 'Summary of charges', 'It is not an invoice that Alpine Cloud Reselling issued'],
    [{ form: 'summary', totalAmount: '-1' }, 'Summary of charges', 'is a summary of charges'],
    [{ documentState: 'draft' }, 'Draft', 'This is a draft and no invoice'],
    [{ documentState: 'draft', form: 'summary' }, 'Draft', 'nothing of it is owed'],
    [{ documentState: 'voided' }, 'Voided', 'This was voided: nothing of it is owed.'],
  ])('%j has the title %s, and the vendor is not its sender', async (overrides, heading, caveat) => {
    const bytes = await renderInvoicePdf({ ...invoice, ...overrides }, [line()])
    const runs = readPages(bytes).flat()
    const texts = runs.map(({ text }) => text)
    expect(texts[0]).toBe(heading)
    expect(texts.join(' ')).toContain(caveat)
    expect(texts).toContain('Charges of Alpine Cloud Reselling')
    for (const text of ['Alpine Cloud Reselling', 'Kai 1', 'Tax ID CHE-1', 'Payment', 'IBAN', 'KAIACHZZ'])
      expect(texts).not.toContain(text)
    expect(texts.filter((text) => /invoice number|invoice date/i.test(text))).toEqual([])
    expect(texts.includes('Due date')).toBe(heading === 'Summary of charges')
    expect(texts).toContain(`${heading} IN-203610 · Charges of Alpine Cloud Reselling`)
    const file = Buffer.from(bytes).toString('latin1')
    expect(file).toContain(`(${heading} IN-203610)`)
    expect(authorsOf(bytes)).toEqual(['Licenses & Invoices', 'Licenses &amp; Invoices'])
    expect(pdfErrors(bytes)).toEqual([])
  })

  test('becomes an invoice with its seller as the sender', async () => {
    expect(authorsOf(await renderInvoicePdf(invoice, [line()]))).toEqual(
      Array(2).fill('Alpine Cloud Reselling'),
    )
  })
})

describe('A tax without the issuer’s breakdown', () => {
  const taxed = { totalAmount: '119.00', currency: 'EUR' }
  const gross = { price: '119', qty: '1', currency: 'EUR', taxCategory: 'S', taxRate: '19' }

  test.each([
    ['stated in sum', { netAmount: '100', taxAmount: '19' }],
    ['not stated', {}],
  ])('is calculated from gross lines and labeled as calculated, if it is %s', async (_, stated) => {
    const texts = await textsOf({ ...taxed, ...stated }, [line(gross)])
    expect(texts[texts.indexOf('Net') + 1]).toBe('100.00')
    expect(texts[texts.indexOf('Tax 19 % of 100.00 (calculated)') + 1]).toBe('19.00')
    expect(texts.join(' ')).not.toContain('do not add up')
  })

  test('is omitted if our calculation does not equal the total', async () => {
    const texts = await textsOf({ ...taxed, totalAmount: '130.00' }, [line(gross)])
    expect(texts.join(' ')).not.toMatch(/22\.61|the issuer has them|Tax 19 % of/)
    expect(texts).not.toContain('Tax')
  })
})

test('A PDF names units, repeats the tax of a line only where rates differ, and has no sentence on itself', async () => {
  const unit = (code: string, type: string, fields = {}) => line({ unit: code, type, price: '50', ...fields })
  const taxed = { totalAmount: '150', netAmount: '150', taxAmount: '0' }
  const texts = await textsOf(taxed, [
    unit('C62', 'office-suite', { qty: '1', taxCategory: 'S', taxRate: '19' }),
    unit('HUR', 'web-services', { qty: '2', taxCategory: 'S', taxRate: '7' }),
  ])
  expect(texts).toEqual(expect.arrayContaining(['Quantity', '1 license', '2 hours']))
  expect(texts).toEqual(expect.arrayContaining(['Tax 19 %', 'Tax 7 %']))
  const plain = await textsOf({ totalAmount: '100' }, [unit('C62', 'web-services', { qty: '2' })])
  expect(plain).toContain('2 units')
  expect(plain.join(' ')).not.toMatch(/C62|HUR|add up|calculated/)
})

test('A PDF states the reading of its prices and the amount without line items', async () => {
  const perLine = await textsOf({ totalAmount: '39' }, [line({ price: '39', qty: '3' })])
  expect(perLine).toContain('Price per line')
  const short = await textsOf({ totalAmount: '51.34' }, [line({ price: '13', qty: '3' })])
  expect(short.join(' ')).toContain('Not itemized: 12.34 USD.')
  expect(short).toContain('12.34')
})

describe('A long invoice', () => {
  test('with 1,000 lines contains all lines within the margins, with table headers and page numbers', async () => {
    const longText = 'a description that nobody was brief about '.repeat(4)
    const lines = Array.from({ length: 1000 }, (_, index) =>
      line({ description: `No. ${index} ${longText}` }),
    )
    const pages = readPages(await renderInvoicePdf(invoice, lines))
    expect(pages.length).toBeGreaterThan(40)
    for (const [index, page] of pages.entries()) {
      const texts = page.map(({ text }) => text)
      expect(texts).toContain(`${index + 1} of ${pages.length}`)
      if (index < pages.length - 1) expect(texts).toContain('Price per unit')
      expect(page.filter(isOutside)).toEqual([])
    }
    const numbers = pages.flat().flatMap(({ text }) => /^No\. (\d+) /.exec(text)?.[1] ?? [])
    expect(numbers).toEqual(lines.map((_, index) => String(index)))
    expect(pages.flat().filter(({ text }) => text === '7,938.42')).toHaveLength(1000)
  })

  test('with too many lines to print states that, and adds up all lines', async () => {
    const lines = Array.from({ length: MAX_PRINTED_LINES + 3 }, () => line({ price: '2', qty: '1' }))
    const largeInvoice = { ...invoice, totalAmount: String(2 * lines.length) }
    const texts = readPages(await renderInvoicePdf(largeInvoice, lines))
      .flat()
      .map(({ text }) => text)
    expect(texts.filter((text) => text === 'Storage')).toHaveLength(MAX_PRINTED_LINES)
    expect(texts.join(' ')).toContain('3 more line items, 6.00 USD together, are not printed here.')
    expect(texts).toContain('10,006.00 USD')
  })

  test('breaks a word that is wider than its column, across pages if necessary', async () => {
    const pages = readPages(await renderInvoicePdf(invoice, [line({ description: 'x'.repeat(9000) })]))
    expect(pages.length).toBeGreaterThan(1)
    const printed = pages.flat().filter(({ text }) => /^x+$/.test(text))
    expect(printed.map(({ text }) => text).join('')).toBe('x'.repeat(9000))
    expect(pages.flat().filter(isOutside)).toEqual([])
  })
})

test('An address longer than a page continues on the next one', async () => {
  const address = Array.from({ length: 90 }, (_, index) => `Line ${index}`).join('\n')
  const pages = readPages(await renderInvoicePdf({ ...invoice, buyer: { ...NOBODY, address } }, [line()]))
  expect(pages[0]?.map(({ text }) => text)).not.toContain('Line 89')
  expect(pages[1]?.map(({ text }) => text)).toContain('Line 89')
  expect(pages.flat().filter(isOutside)).toEqual([])
})

describe('Unusual text', () => {
  test('without glyphs in the font stays available to screen readers and for copying', async () => {
    const texts = await textsOf({
      number: 'חשבון/日本語 🎉',
      buyer: { ...NOBODY, name: '株式会社' },
    })
    expect(texts).toContain('חשבון/日本語 🎉')
    expect(texts).toContain('株式会社')
  })

  test('is rendered without an error', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 80 }).map((raw) => raw.replaceAll('\0', ''))
    const optional = fc.option(text)
    await fc.assert(
      fc.asyncProperty(text, text, optional, text, async (number, name, address, description) => {
        const party = { ...NOBODY, name, address, taxId: address, city: address }
        const namedInvoice = { ...invoice, number, seller: party, buyer: party }
        const bytes = await renderInvoicePdf(namedInvoice, [line({ description, details: address })])
        expect(pdfErrors(bytes)).toEqual([])
        const pages = readPages(bytes)
        expect(pages.flat().map((run) => run.text)).toContain('39,004.92 USD')
      }),
      { numRuns: 40 },
    )
  })
})

function isOutside({ x, y }: Run): boolean {
  return (
    x < PAGE.left - 0.1 || x > PAGE.right || y < PAGE.height - PAGE.bottom - 40 || y > PAGE.height - PAGE.top
  )
}

/** Whom a file names as its author: in its information and in its XML. */
function authorsOf(bytes: Uint8Array): string[] {
  const objects = objectsOf(Buffer.from(bytes))
  const all = [...objects.values()].map(({ text, stream }) => text + stream).join('\n')
  const information = objects.get(/\/Author (\d+) 0 R/.exec(all)?.[1] ?? '')?.text ?? ''
  const matches = [/\((.*)\)/.exec(information), /<dc:creator>.*?<rdf:li>([^<]*)</s.exec(all)]
  return matches.map((match) => match?.[1] ?? '')
}
