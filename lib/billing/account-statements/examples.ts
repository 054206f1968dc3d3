import type { Example } from '#lib/platform/api/openapi/example.ts'

const november = { minDate: 1763164800, maxDate: 1763942400, filter: 'currency:CHF' }

export const readAccount: readonly Example[] = [
  {
    name: 'ten-days',
    summary: 'Ten days of an account: a payment that settles no invoice yet is its credit',
    query: november,
    answer: {
      status: 200,
      body: {
        from: 1763164800000,
        to: 1763942400000,
        currencies: [
          {
            currency: 'CHF',
            openingAmount: 0,
            closingAmount: -250,
            creditAmount: 250,
            movements: [
              {
                date: 1763596800000,
                kind: 'payment',
                amount: -250,
                balanceAmount: -250,
                reference: 'BANK-17',
              },
            ],
            openItems: [],
          },
        ],
      },
    },
  },
]

export const exportAccount: readonly Example[] = [
  {
    name: 'german-excel',
    summary: 'For a German Excel',
    query: { ...november, separator: 'semicolon', decimal: 'comma' },
    answer: {
      status: 200,
      body: 'currency;date;kind;invoiceId;number;billingProfileId;reference;amount;balanceAmount\r\nCHF;2025-11-15;opening-balance;;;;;;0,00\r\nCHF;2025-11-20;payment;;;;BANK-17;-250,00;-250,00\r\nCHF;2025-11-24;closing-balance;;;;;;-250,00\r\n',
    },
  },
]

export const exportAccountXlsx: readonly Example[] = [
  { name: 'workbook', summary: 'As a workbook', query: november, answer: { status: 200 } },
]

export const exportAccountPdf: readonly Example[] = [
  { name: 'document', summary: 'As a PDF', query: november, answer: { status: 200 } },
]
