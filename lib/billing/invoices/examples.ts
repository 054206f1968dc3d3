import type { Example } from '#lib/platform/api/openapi/example.ts'
import { octoberInvoice, septemberInvoice } from '../example-invoices.ts'

/** Documents of an invoice whose issuer's document is stored, and ours was never requested. */
const exampleFiles = [
  {
    kind: 'original-pdf',
    name: 'invoice 0917.pdf',
    mediaType: 'application/pdf',
    bytes: 15,
    digest: '1e7313ace78f0fb481a486939b4885902663102818090805515553d84e0bbfd3',
    url: 'https://console.example.com/billing/v1/invoices/IN-2025-0917/file?kind=original-pdf',
  },
  {
    kind: 'drawn',
    name: 'IN-2025-0917.pdf',
    mediaType: 'application/pdf',
    url: 'https://console.example.com/billing/v1/invoices/IN-2025-0917/file?kind=drawn',
  },
]

/** Read of an invoice: the issuer's lines. */
const pastDue: Example = {
  name: 'past-due',
  summary: 'An invoice that is past due',
  params: { invoice_id: 'IN-2025-0917' },
  answer: {
    status: 200,
    body: {
      ...septemberInvoice,
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
      payments: [],
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

/** List of drafts, which are not owed yet. */
const drafts: Example = {
  name: 'drafts',
  summary: 'Drafts: not owed yet, without a status',
  query: { filter: 'state:draft|platform:web-services' },
  answer: { status: 200, body: { invoices: [draft], rowCount: 1 } },
}

/** Read of a credit note, with the invoice that it corrects. */
const creditNote: Example = {
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
      payments: [],
      form: 'invoice',
      billingAccount: '0925',
      periodStart: 1759276800000,
      periodEnd: 1761955200000,
      corrects: { number: 'FC-2025-0107', id: 'FC-2025-0107' },
      correctedBy: [],
    },
  },
}

const url = 'https://console.example.com/billing/v1/invoices/RE-2025-1140/file'

/** Read of an invoice with all posting fields. */
const posted: Example = {
  name: 'with-tax',
  summary: 'An invoice with its tax and what it is posted by; the cost center is the customer’s own',
  params: { invoice_id: 'RE-2025-1140' },
  answer: {
    status: 200,
    body: {
      id: 'RE-2025-1140',
      number: 'RE-2025-1140',
      issuer: 'Fernhill Cloud GmbH',
      documentState: 'issued',
      invoiceDate: 1764460800000,
      platform: 'office-suite',
      dueDate: 1767052800000,
      status: 'PAID',
      totalAmount: 595,
      balanceAmount: 0,
      billingProfileId: 'default',
      currency: 'EUR',
      url,
      lineItems: [
        {
          type: 'office-suite',
          description: 'Office E3',
          price: 12.5,
          qty: 40,
          currency: 'EUR',
          amount: 500,
          netAmount: 500,
          taxCategory: 'S',
          taxRate: 19,
          taxAmount: 95,
          periodStart: 1761955200000,
          periodEnd: 1764547200000,
          billingAccount: 'FC-1140',
          subAccount: 'berlin',
          unit: 'MON',
          purchaseOrder: 'PO-4500017',
          costCenter: '4712',
          carried: ['costCenter'],
        },
      ],
      itemization: {
        addsUp: true,
        priceReading: 'PER_UNIT',
        lineItemsAmount: 500,
        notItemizedAmount: 0,
        roundingAmount: 0,
        otherCurrencyLines: 0,
        taxAmount: 95,
        lineAmountBasis: 'NET',
      },
      files: [
        {
          kind: 'drawn',
          name: 'RE-2025-1140.pdf',
          mediaType: 'application/pdf',
          url: `${url}?kind=drawn`,
        },
      ],
      payments: [{ id: 'RE-2025-1140#1', kind: 'reported', date: 1764460800000, amount: 595 }],
      form: 'invoice',
      billingAccount: 'FC-1140',
      correctedBy: [],
      typeCode: '380',
      purchaseOrder: 'PO-4500017',
      buyerReference: 'NW-BER',
      costCenter: '4711',
      paymentTerms: 'Payable within 30 days, without deduction.',
      carried: ['costCenter'],
      sellerCountry: 'DE',
      tax: {
        netAmount: 500,
        taxAmount: 95,
        amountsFrom: 'ISSUER',
        breakdown: [{ taxCategory: 'S', taxRate: 19, taxableAmount: 500, taxAmount: 95 }],
        breakdownFrom: 'LINE_ITEMS',
      },
      charges: {
        count: 2,
        amount: 595,
        agrees: true,
        differenceAmount: 0,
        roundingAmount: 0,
        corrections: { count: 0, amount: 0 },
      },
    },
  },
}

export const listInvoices: readonly Example[] = [
  {
    name: 'one-platform',
    summary: 'Invoices of a platform since September 2025',
    query: { filter: 'platform:cloud-platform', minCreationTime: 1756684800 },
    answer: {
      status: 200,
      body: {
        invoices: [octoberInvoice, septemberInvoice],
        rowCount: 2,
      },
    },
  },
  drafts,
]

export const exportInvoices: readonly Example[] = [
  {
    name: 'lines',
    summary: 'The line items of what is past due',
    query: { filter: 'status:PAST DUE', lines: true },
    answer: {
      status: 200,
      body: 'id,invoiceDate,dueDate,platform,status,currency,totalAmount,balanceAmount,billingProfileId,issuer,line,lineType,lineDescription,lineDetails,lineQty,linePrice,lineCurrency,lineAmount,number,documentState,corrects,billingAccount,periodStart,periodLastDay,typeCode,netAmount,taxAmount,purchaseOrder,buyerReference,costCenter,paymentTerms,sellerCountry,buyerCountry,lineNetAmount,lineTaxCategory,lineTaxRate,lineTaxAmount,linePeriodStart,linePeriodLastDay,lineBillingAccount,lineSubAccount,lineUnit,linePurchaseOrder,lineCostCenter,lineDetailId,lineChargeCategory,linePaymentCurrency,linePaymentAmount,lineAmountBasis,lineUsedQuantity,lineUsedUnit,lineSku\r\nIN-2025-0917,2025-09-30,2025-10-30,cloud-platform,PAST DUE,USD,1250.00,1250.00,default,Reseller,1,cloud-platform,Compute,europe-west4,1,1100,USD,1100.00,IN-2025-0917,issued,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\r\nIN-2025-0917,2025-09-30,2025-10-30,cloud-platform,PAST DUE,USD,1250.00,1250.00,default,Reseller,2,cloud-platform,Storage,,3000,0.05,USD,150.00,IN-2025-0917,issued,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\r\n',
    },
  },
  {
    name: 'readable',
    summary: 'The same, with the columns that people need',
    query: { filter: 'status:PAST DUE', lines: true, columns: 'words' },
    answer: {
      status: 200,
      body: 'Company,Invoice number,Invoice date,Product,Details,Period from,Period to,Quantity,Unit,Unit price,Net,Tax,Total,Currency,Purchase order,Cost center\r\nnorthwind,IN-2025-0917,2025-09-30,Compute,europe-west4,,,1,,1100.00,,,1100.00,USD,,\r\nnorthwind,IN-2025-0917,2025-09-30,Storage,,,,3000,,0.05,,,150.00,USD,,\r\n',
    },
  },
]

export const exportInvoicesXlsx: readonly Example[] = [
  {
    name: 'lines',
    summary: 'The line items of what is past due, for people',
    query: { filter: 'status:PAST DUE', lines: true, columns: 'words' },
    answer: { status: 200 },
  },
]

export const readInvoice: readonly Example[] = [pastDue, creditNote, posted]

export const summarizeInvoices: readonly Example[] = [
  {
    name: 'one-platform',
    summary: 'Sums of one platform',
    query: { filter: 'platform:cloud-platform' },
    answer: {
      status: 200,
      body: {
        count: 2,
        today: 1795305600000,
        currencies: [
          {
            currency: 'USD',
            count: 2,
            totalAmount: 2650,
            balanceAmount: 1250,
            outstanding: { count: 1, amount: 1250 },
            credit: { count: 0, amount: 0 },
            pastDue: { count: 1, amount: 1250, oldestDueDate: 1761782400000 },
            dueIn30Days: { count: 0, amount: 0 },
            months: [
              {
                month: 1756684800000,
                count: 1,
                totalAmount: 1250,
                platforms: [{ platform: 'cloud-platform', count: 1, totalAmount: 1250 }],
              },
              {
                month: 1759276800000,
                count: 1,
                totalAmount: 1400,
                platforms: [{ platform: 'cloud-platform', count: 1, totalAmount: 1400 }],
              },
            ],
          },
        ],
      },
    },
  },
]
