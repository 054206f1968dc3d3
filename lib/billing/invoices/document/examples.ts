import { exampleFiles } from '#lib/billing/kept-files/examples.ts'
import type { Example } from '#lib/platform/api/openapi/example.ts'

/** Of a read: what the issuer billed, line by line. */
export const pastDue: Example = {
  name: 'past-due',
  summary: 'An invoice that is past due',
  params: { invoice_id: 'IN-2025-0917' },
  answer: {
    status: 200,
    body: {
      id: 'IN-2025-0917',
      number: 'IN-2025-0917',
      issuer: 'Reseller',
      documentState: 'issued',
      billingProfileId: 'default',
      invoiceDate: 1759190400000,
      platform: 'cloud-platform',
      dueDate: 1761782400000,
      status: 'PAST DUE',
      totalAmount: 1250,
      balanceAmount: 1250,
      currency: 'USD',
      url: 'https://console.example.com/billing/v1/invoices/IN-2025-0917/file',
      lineItems: [
        {
          type: 'cloud-platform',
          description: 'Compute',
          price: 1100,
          qty: 1,
          currency: 'USD',
          Details: 'europe-west4',
          amount: 1100,
        },
        {
          type: 'cloud-platform',
          description: 'Storage',
          price: 0.05,
          qty: 3000,
          currency: 'USD',
          amount: 150,
        },
      ],
      itemization: {
        addsUp: true,
        priceReading: 'PER_UNIT',
        lineItemsAmount: 1250,
        notItemizedAmount: 0,
        roundingAmount: 0,
        otherCurrencyLines: 0,
      },
      files: exampleFiles,
      form: 'invoice',
      correctedBy: [],
    },
  },
}

const draft = {
  id: '2026-11-12ab34cd',
  number: '2026-11-12ab34cd',
  issuer: 'Fernhill Cloud',
  documentState: 'draft',
  billingProfileId: 'default',
  invoiceDate: 1795910400000,
  platform: 'web-services',
  dueDate: 1798502400000,
  totalAmount: 812.4,
  balanceAmount: 0,
  currency: 'USD',
  url: 'https://console.example.com/billing/v1/invoices/2026-11-12ab34cd/file',
} as const

const line = {
  type: 'web-services',
  description: 'Object storage',
  qty: 1,
  currency: 'EUR',
} as const

/** Of a list: what is no debt yet. */
export const drafts: Example = {
  name: 'drafts',
  summary: 'Drafts, which nobody owes yet and which have no status',
  query: { filter: 'state:draft|platform:web-services' },
  answer: { status: 200, body: { invoices: [draft], rowCount: 1 } },
}

/** Of a read: a credit note, and what it is of. */
export const creditNote: Example = {
  name: 'credit-note',
  summary: 'A credit note names the invoice that it corrects; what is credited is still open',
  params: { invoice_id: 'CN-2025-0031' },
  answer: {
    status: 200,
    body: {
      id: 'CN-2025-0031',
      number: 'CN-2025-0031',
      issuer: 'Fernhill Cloud',
      documentState: 'issued',
      billingProfileId: 'default',
      invoiceDate: 1762387200000,
      platform: 'web-services',
      dueDate: 1764979200000,
      status: 'PAID',
      totalAmount: -40,
      balanceAmount: -40,
      currency: 'EUR',
      url: 'https://console.example.com/billing/v1/invoices/CN-2025-0031/file',
      lineItems: [{ ...line, price: -40, amount: -40 }],
      itemization: {
        addsUp: true,
        priceReading: 'PER_UNIT',
        lineItemsAmount: -40,
        notItemizedAmount: 0,
        roundingAmount: 0,
        otherCurrencyLines: 0,
      },
      files: [
        {
          kind: 'drawn',
          name: 'CN-2025-0031.pdf',
          mediaType: 'application/pdf',
          url: 'https://console.example.com/billing/v1/invoices/CN-2025-0031/file?kind=drawn',
        },
      ],
      form: 'invoice',
      billingAccount: '0925',
      periodStart: 1759276800000,
      periodEnd: 1761955200000,
      corrects: { number: 'FC-2025-0107', id: 'FC-2025-0107' },
      correctedBy: [],
    },
  },
}
