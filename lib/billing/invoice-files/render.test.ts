import { expect, test } from 'vitest'
import { partyOf } from '#lib/billing/parties/rules.ts'
import type { InvoiceDocument } from './document.ts'
import { renderInvoicePdf } from './layout.ts'
import { renderInWorker } from './render.ts'

const document: InvoiceDocument = {
  number: 'IN-1',
  documentState: 'issued',
  form: 'invoice',
  platform: 'cloud-platform',
  invoiceDate: '2026-09-30',
  dueDate: '2026-10-30',
  currency: 'USD',
  totalAmount: '39004.92',
  billingAccount: null,
  periodStart: '2026-09-01',
  periodEnd: '2026-10-01',
  corrects: null,
  seller: partyOf({ name: 'Alpine Cloud Reselling' }),
  buyer: partyOf({ name: 'Ľubica 株式会社' }),
}
const lines = Array.from({ length: 300 }, (_, position) => ({
  position,
  type: 'cloud-platform',
  description: `Storage ${position} – über`,
  price: '19.24',
  qty: `${position}.6`,
  currency: 'USD',
  details: position % 2 ? null : 'resource',
}))

test.each([0, 1, 300])(
  'An invoice of %i lines has the same bytes from the worker as in-process',
  async (count) => {
    const some = lines.slice(0, count)
    const pdf = await renderInWorker(document, some, 'northwind')
    expect(Buffer.compare(pdf, await renderInvoicePdf(document, some))).toBe(0)
  },
)

test('Parallel renderings keep their documents separate', async () => {
  const numbers = Array.from({ length: 12 }, (_, index) => `IN-${index}`)
  const pdfs = await Promise.all(
    numbers.map((number, index) =>
      renderInWorker({ ...document, number }, lines.slice(0, 5), `customer-${index % 3}`),
    ),
  )
  for (const [index, number] of numbers.entries())
    expect(
      Buffer.compare(
        pdfs[index] ?? Buffer.alloc(0),
        await renderInvoicePdf({ ...document, number }, lines.slice(0, 5)),
      ),
    ).toBe(0)
})

test('A document that can’t be rendered results in an error with the reason, and the next one is rendered', async () => {
  const broken = { ...document, totalAmount: 'much' }
  await expect(renderInWorker(broken, lines.slice(0, 1), 'northwind')).rejects.toThrow(/[Ii]nvalid number/)
  expect((await renderInWorker(document, [], 'northwind')).length).toBeGreaterThan(1000)
})

test('A customer may queue twenty documents; the next one is refused, and documents of others are rendered', async () => {
  const requests = Array.from({ length: 22 }, () => renderInWorker(document, [], 'northwind'))
  const other = renderInWorker(document, [], 'birch')
  const answers = await Promise.allSettled([...requests, other])
  expect(answers.map(({ status }) => status).filter((status) => status === 'fulfilled')).toHaveLength(22)
  expect(answers[21]).toMatchObject({
    reason: { code: 'service_unavailable', more: { headers: { 'Retry-After': '5' } } },
  })
})
