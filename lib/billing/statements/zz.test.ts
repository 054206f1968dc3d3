import { mkdirSync, writeFileSync } from 'node:fs'
import { test } from 'vitest'
import { renderInvoicePdf } from '../invoice-files/layout.ts'
import { renderStatementPdf } from './layout.ts'

const item = (number: string, fields: object = {}) => ({
  number,
  issuer: 'Alpine Cloud Reselling',
  profile: 'Northwind Labs',
  dueDate: '2026-08-30',
  daysPastDue: 86,
  total: '1500',
  balance: '1250.5',
  ...fields,
})
test('x', async () => {
  mkdirSync('/tmp/w/files-lo', { recursive: true })
  writeFileSync(
    '/tmp/w/files-lo/statement.pdf',
    await renderStatementPdf({
      today: '2026-11-24',
      profiles: ['Northwind Labs', 'Northwind EMEA'],
      sections: [
        {
          currency: 'EUR',
          ages: [
            { age: 'current', amount: '100' },
            { age: 'days1To30', amount: '1250.5' },
            { age: 'older', amount: '1250.5' },
            { age: 'credit', amount: '-50' },
          ],
          balance: '2551',
          items: [
            item('IN-203652'),
            item('CN-2', { dueDate: null, daysPastDue: 0, total: '-50', balance: '-50' }),
          ],
          credit: '12.25',
        },
        {
          currency: 'JPY',
          ages: [{ age: 'current', amount: '1200' }],
          balance: '1200',
          items: [item('IN-3', { daysPastDue: 0 })],
        },
      ],
    }),
  )
  const party = {
    name: 'Northwind Labs',
    address: '12 Harbour Street',
    postcode: '20457',
    city: 'Hamburg',
    country: 'DE',
    taxId: 'DE 123',
    registration: null,
    bank: 'Bank am Kai',
    iban: 'CH9300762011623852957',
    bic: 'KAIACHZZ',
    account: null,
    terms: '30 days net',
  }
  const l = (o: object) => ({
    position: 1,
    type: 'office-suite',
    description: 'Business Plus',
    price: '12',
    qty: '240',
    currency: 'EUR',
    details: 'Annual commitment',
    unit: 'C62',
    taxCategory: 'S',
    taxRate: '19',
    periodStart: '2026-09-01',
    periodEnd: '2026-10-01',
    ...o,
  })
  writeFileSync(
    '/tmp/w/files-lo/invoice.pdf',
    await renderInvoicePdf(
      {
        number: 'IN-203610',
        documentState: 'issued',
        form: 'invoice',
        platform: 'office-suite',
        invoiceDate: '2026-09-30',
        dueDate: '2026-10-30',
        currency: 'EUR',
        totalAmount: '3784.20',
        netAmount: '3180',
        taxAmount: '604.20',
        taxBreakdown: [{ category: 'S', rate: '19', taxableAmount: '3180', taxAmount: '604.20' }],
        billingAccount: null,
        periodStart: '2026-09-01',
        periodEnd: '2026-10-01',
        corrects: null,
        purchaseOrder: 'PO-7',
        seller: { ...party, name: 'Alpine Cloud Reselling' },
        buyer: party,
      } as never,
      [
        l({}),
        l({
          description: 'Consulting',
          qty: '3',
          price: '100',
          unit: 'HUR',
          type: 'web-services',
          details: null,
        }),
      ] as never,
    ),
  )
})
