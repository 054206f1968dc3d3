import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'

export const listPayments: readonly Example[] = [
  {
    name: 'bank-transfers',
    summary: 'A payment that fits no invoice yet: it is the customer’s credit',
    query: { filter: 'kind:payment|currency:CHF' },
    answer: {
      status: 200,
      body: {
        payments: [
          {
            id: 'pay-1',
            kind: 'payment',
            paidDate: 1763596800000,
            currency: 'CHF',
            amount: 250,
            creditAmount: 250,
            reference: 'BANK-17',
            method: 'bank transfer',
            payer: 'Northwind Labs',
            endToEndId: 'PAY-2025-11',
            remittance: 'Deposit',
            enteredBy: 'Operator',
            allocations: [],
          },
        ],
        rowCount: 1,
      },
    },
  },
  {
    name: 'unknown-state',
    summary: 'A state that payments do not have',
    query: { filter: 'state:open' },
    answer: problemAnswer(
      'filter_invalid',
      'filter: knows these values of state only: recorded, unassigned, reversed',
      {
        errors: [
          {
            parameter: 'filter',
            detail: 'knows these values of state only: recorded, unassigned, reversed',
          },
        ],
      },
    ),
  },
]

const inFrancs = { filter: 'kind:payment|currency:CHF' }

export const exportPayments: readonly Example[] = [
  {
    name: 'german-excel',
    summary: 'For a German Excel',
    query: { ...inFrancs, separator: 'semicolon', decimal: 'comma' },
    answer: {
      status: 200,
      body: 'id;kind;paidDate;currency;amount;invoiceId;number;partAmount;partDate;reference;method;payer;endToEndId;remittance;refundOf;enteredBy;reversedDate;reversalReason\r\npay-1;payment;2025-11-20;CHF;250,00;;;250,00;;BANK-17;bank transfer;Northwind Labs;PAY-2025-11;Deposit;;Operator;;\r\n',
    },
  },
]

export const exportPaymentsXlsx: readonly Example[] = [
  { name: 'workbook', summary: 'As a workbook', query: inFrancs, answer: { status: 200 } },
]
