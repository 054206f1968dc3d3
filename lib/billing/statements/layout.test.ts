import { expect, test } from 'vitest'
import { PAGE } from '#lib/platform/pdf/document.ts'
import { pdfErrors } from '#lib/platform/pdf/test-check.ts'
import { readPages } from '#lib/platform/pdf/test-read.ts'
import { renderStatementPdf, type StatementDocument } from './layout.ts'

const item = (number: string, fields: object = {}) => ({
  ...{ number, issuer: 'Reseller', profile: 'Northwind Labs', dueDate: '2026-08-30', daysPastDue: 86 },
  ...{ total: '1500', balance: '1250.5' },
  ...fields,
})
const STATEMENT: StatementDocument = {
  today: '2026-11-24',
  profiles: ['Northwind Labs', 'Northwind EMEA'],
  sections: [
    {
      currency: 'EUR',
      ages: [
        { age: 'older', amount: '1250.5' },
        { age: 'credit', amount: '-50' },
      ],
      balance: '1200.5',
      items: [
        item('IN-1'),
        item('CN-2', {
          dueDate: null,
          daysPastDue: 0,
          total: '-50',
          balance: '-50',
          profile: 'Northwind EMEA',
        }),
      ],
      credit: '12.25',
    },
    { currency: 'JPY', ages: [{ age: 'current', amount: '1200' }], balance: '1200', items: [item('IN-3')] },
  ],
}

test('A statement is a tagged PDF with the sums of each currency and its open items', async () => {
  const bytes = await renderStatementPdf(STATEMENT)
  expect(pdfErrors(bytes)).toEqual([])
  const texts = readPages(bytes)
    .flat()
    .map(({ text }) => text)
  for (const text of ['Statement', 'Open balance as of 24 Nov 2026', 'Northwind EMEA', 'EUR', 'JPY'])
    expect(texts).toContain(text)
  for (const [label, amount] of [
    ['Over 90 days', '1,250.50 EUR'],
    ['Credit', '−50.00 EUR'],
    ['Balance', '1,200.50 EUR'],
    ['Credit not assigned to an invoice', '12.25 EUR'],
    ['Not due yet', '1,200 JPY'],
  ] as const)
    expect(texts[texts.indexOf(label) + 1]).toBe(amount)
  const first = texts.indexOf('30 Aug 2026')
  expect(texts.slice(first, first + 5)).toEqual([
    '30 Aug 2026',
    'IN-1 · Reseller · Northwind Labs',
    '86 days',
    '1,500.00',
    '1,250.50',
  ])
})

test('The same statement results in the same bytes, and one without open items is not empty', async () => {
  expect(await renderStatementPdf(STATEMENT)).toEqual(await renderStatementPdf(STATEMENT))
  const empty = readPages(await renderStatementPdf({ ...STATEMENT, profiles: [], sections: [] })).flat()
  expect(empty.map(({ text }) => text)).toContain('Nothing is open.')
})

test('A long statement stays within the margins, on several pages', async () => {
  const items = Array.from({ length: 300 }, (_, at) =>
    item(`IN-${at}`, { issuer: 'A reseller with a name that is long '.repeat(3), total: '123456789012.345' }),
  )
  const section = { currency: 'KWD', ages: [], balance: '1', items }
  const pages = readPages(await renderStatementPdf({ ...STATEMENT, sections: [section] }))
  expect(pages.length).toBeGreaterThan(5)
  const numbers = pages.flat().flatMap(({ text }) => /^IN-(\d+) /.exec(text)?.[1] ?? [])
  expect(numbers.map(Number)).toEqual(items.map((_, at) => at))
  for (const { x, y } of pages.flat()) {
    expect(x).toBeGreaterThanOrEqual(PAGE.left - 1)
    expect(x).toBeLessThanOrEqual(PAGE.right + 1)
    expect(y).toBeGreaterThan(0)
  }
})
