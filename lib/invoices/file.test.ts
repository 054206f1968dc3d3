import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PAGE } from '#lib/pdf/paper.ts'
import { type Run, readPages } from '#lib/pdf/test-read.ts'
import { drawInvoice } from './file.ts'

type Invoice = Parameters<typeof drawInvoice>[0]
type Line = Parameters<typeof drawInvoice>[1][number]

const invoice: Invoice = {
  id: 'IN-203610',
  billingProfileId: 'main',
  platform: 'cloud-platform',
  issuer: 'Alpine Cloud Reselling',
  invoiceDate: '2026-09-30',
  dueDate: '2026-10-30',
  currency: 'USD',
  totalAmount: '39004.92',
  balanceAmount: '20000',
  today: '2026-11-20',
  billedTo: { name: 'Northwind Labs', address: '12 Harbour Street\nHamburg', taxId: 'DE 123' },
}

function line(given: Partial<Line> = {}): Line {
  const { type, details } = { type: 'cloud-platform', details: null }
  return {
    position: 1,
    type,
    description: 'Storage',
    price: '19.24',
    qty: '412.6',
    currency: 'USD',
    details,
    ...given,
  }
}

/** The texts of all pages, in the order in which they were drawn. */
async function textsOf(given: Partial<Invoice>, lines: Line[] = [line()]): Promise<string[]> {
  return readPages(await drawInvoice({ ...invoice, ...given }, lines)).flatMap((page) =>
    page.map(({ text }) => text),
  )
}

describe('an invoice as a PDF', () => {
  test('says who, when, what and how much', async () => {
    const texts = await textsOf({}, [
      line({ details: '1 Sep – 30 Sep' }),
      line({ qty: '-96410', price: '0.02' }),
    ])
    for (const text of [
      ...['Alpine Cloud Reselling', 'Northwind Labs', '12 Harbour Street', 'Hamburg', 'Tax ID DE 123'],
      ...['IN-203610', '30 Sep 2026', '30 Oct 2026', 'Past due', 'Cloud platform'],
      ...['Storage', '1 Sep – 30 Sep', '412.6', '19.24', '7,938.42', '−96,410', '0.02', '−1,928.20'],
      ...['6,010.22', 'Not itemized', '32,994.70', '39,004.92', 'Paid or credited', '−19,004.92'],
      ...['Balance due', '20,000.00 USD', '1 of 1'],
    ])
      expect(texts).toContain(text)
  })

  test('gives the same bytes for the same rows, and others for others', async () => {
    const [first, again] = [await drawInvoice(invoice, [line()]), await drawInvoice(invoice, [line()])]
    expect(Buffer.compare(first, again)).toBe(0)
    const other = await drawInvoice({ ...invoice, totalAmount: '39004.93' }, [line()])
    expect(Buffer.compare(first, other)).not.toBe(0)
  })

  test('names itself and carries its fonts, and nothing that acts', async () => {
    const file = Buffer.from(await drawInvoice(invoice, [line()])).toString('latin1')
    expect(file.startsWith('%PDF-')).toBe(true)
    for (const part of [
      '(Invoice IN-203610)',
      '/Lang (en)',
      '/Marked true',
      'D:20260930000000Z',
      '/FontFile2',
    ])
      expect(file).toContain(part)
    for (const part of ['/JavaScript', '/JS', '/OpenAction', '/AA', '/URI', '/Launch', 'Helvetica'])
      expect(file).not.toContain(part)
  })

  test.each([
    ['JPY', '120000', '120,000 JPY', '0.5', '1'],
    ['KWD', '7.5', '7.500 KWD', '0.0005', '0.001'],
    ['USD', '-5', '−5.00 USD', '-0.005', '−0.01'],
  ])('counts %s in its own minor unit', async (currency, balanceAmount, shown, price, amount) => {
    const texts = await textsOf({ currency, balanceAmount }, [line({ currency, price, qty: '1' })])
    expect(texts).toContain(shown)
    expect(texts).toContain(amount)
  })

  test('is exact where a float is not', async () => {
    const texts = await textsOf({ totalAmount: '90071992547409931.10', balanceAmount: '0' })
    expect(texts).toContain('90,071,992,547,409,931.10')
  })
})

describe('a long invoice', () => {
  test('of 1,000 lines has them all, inside the margins, with heads and page numbers', async () => {
    const words = 'a description that nobody was brief about '.repeat(4)
    const lines = Array.from({ length: 1000 }, (_, index) => line({ description: `No. ${index} ${words}` }))
    const pages = readPages(await drawInvoice(invoice, lines))
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

  test('breaks a word that is wider than its column, over pages if it must', async () => {
    const pages = readPages(await drawInvoice(invoice, [line({ description: 'x'.repeat(9000) })]))
    expect(pages.length).toBeGreaterThan(1)
    const drawn = pages.flat().filter(({ text }) => /^x+$/.test(text))
    expect(drawn.map(({ text }) => text).join('')).toBe('x'.repeat(9000))
    expect(pages.flat().filter(isOutside)).toEqual([])
  })
})

test('an address that is longer than a page goes on on the next', async () => {
  const address = Array.from({ length: 90 }, (_, index) => `Line ${index}`).join('\n')
  const pages = readPages(
    await drawInvoice({ ...invoice, billedTo: { ...invoice.billedTo, address } }, [line()]),
  )
  expect(pages[0]?.map(({ text }) => text)).not.toContain('Line 89')
  expect(pages[1]?.map(({ text }) => text)).toContain('Line 89')
  expect(pages.flat().filter(isOutside)).toEqual([])
})

describe('odd texts', () => {
  test('that the font has no shapes for are still there to be read out and copied', async () => {
    const texts = await textsOf({
      id: 'חשבון/日本語 🎉',
      billedTo: { ...invoice.billedTo, name: '株式会社' },
    })
    expect(texts).toContain('חשבון/日本語 🎉')
    expect(texts).toContain('株式会社')
  })

  test('of any kind are drawn without an error', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 80 }).map((given) => given.replaceAll('\0', ''))
    const optional = fc.option(text)
    await fc.assert(
      fc.asyncProperty(text, text, optional, text, async (id, name, address, description) => {
        const given = { ...invoice, id, issuer: name, billedTo: { name, address, taxId: address } }
        const pages = readPages(await drawInvoice(given, [line({ description, details: address })]))
        expect(pages.at(-1)?.map((run) => run.text)).toContain('20,000.00 USD')
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
