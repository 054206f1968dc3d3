import type { Example } from '#lib/platform/api/openapi/example.ts'
import { septemberInvoice } from '../example-invoices.ts'

export const readStatement: readonly Example[] = [
  {
    name: 'one-currency',
    summary: 'What is open in US dollars',
    query: { filter: 'currency:USD' },
    answer: {
      status: 200,
      body: {
        today: 1795305600000,
        count: 1,
        currencies: [
          {
            count: 1,
            balanceAmount: 1250,
            current: { count: 0, amount: 0 },
            days1To30: { count: 0, amount: 0 },
            days31To60: { count: 0, amount: 0 },
            days61To90: { count: 0, amount: 0 },
            older: { count: 1, amount: 1250 },
            credit: { count: 0, amount: 0 },
            currency: 'USD',
            billingProfiles: [
              {
                count: 1,
                balanceAmount: 1250,
                current: { count: 0, amount: 0 },
                days1To30: { count: 0, amount: 0 },
                days31To60: { count: 0, amount: 0 },
                days61To90: { count: 0, amount: 0 },
                older: { count: 1, amount: 1250 },
                credit: { count: 0, amount: 0 },
                id: 'default',
                name: 'northwind',
              },
            ],
          },
        ],
        items: [
          {
            ...septemberInvoice,
            age: 'older',
            daysPastDue: 388,
          },
        ],
        creditTransfers: [],
        rowCount: 1,
      },
    },
  },
]

export const exportStatement: readonly Example[] = [
  {
    name: 'one-currency',
    summary: 'What is open in US dollars',
    query: { filter: 'currency:USD' },
    answer: {
      status: 200,
      body: 'currency,billingProfileId,billingProfileName,id,invoiceDate,dueDate,platform,issuer,status,age,daysPastDue,totalAmount,balanceAmount,number,payableAmount\r\nUSD,default,northwind,IN-2025-0917,2025-09-30,2025-10-30,cloud-platform,Reseller,PAST DUE,older,388,1250.00,1250.00,IN-2025-0917,1250.00\r\n',
    },
  },
]

export const exportStatementXlsx: readonly Example[] = [
  {
    name: 'usd',
    summary: 'What is open in one currency',
    query: { filter: 'currency:USD' },
    answer: { status: 200 },
  },
]

export const exportStatementPdf: readonly Example[] = [
  {
    name: 'document',
    summary: 'What is open in one currency',
    query: { filter: 'currency:USD' },
    answer: { status: 200 },
  },
]
