import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'

const params = { invoice_id: 'RE-2025-1140' }

export const listCharges: readonly Example[] = [
  {
    name: 'all',
    summary: 'The charges of an invoice',
    params,
    answer: {
      status: 200,
      body: {
        charges: [
          {
            position: 1,
            chargeCategory: 'Purchase',
            serviceName: 'Office E3',
            description: 'Office E3, November',
            periodStart: 1761955200000,
            periodEnd: 1764547200000,
            billingAccount: 'FC-1140',
            subAccount: 'berlin',
            quantity: 40,
            unit: 'Licenses',
            amount: 500,
            currency: 'EUR',
            tags: { team: 'sales' },
          },
          {
            position: 2,
            chargeCategory: 'Tax',
            serviceName: 'Tax',
            billingAccount: 'FC-1140',
            amount: 95,
            currency: 'EUR',
          },
        ],
        rowCount: 2,
      },
    },
  },
  {
    name: 'not-there',
    summary: 'There is no such invoice',
    params: { invoice_id: 'IN-0' },
    answer: problemAnswer('not_found'),
  },
]

export const exportCharges: readonly Example[] = [
  {
    name: 'all',
    summary: 'The charges of an invoice',
    params,
    answer: {
      status: 200,
      body: 'charge,detailId,line,lineDescription,chargeCategory,chargeClass,serviceName,description,periodStart,periodEnd,billingAccount,subAccount,quantity,unit,amount,currency,tags\r\n1,,,,Purchase,,Office E3,"Office E3, November",2025-11-01T00:00:00.000Z,2025-12-01T00:00:00.000Z,FC-1140,berlin,40,Licenses,500.00,EUR,"{""team"":""sales""}"\r\n2,,,,Tax,,Tax,,,,FC-1140,,,,95.00,EUR,\r\n',
    },
  },
]

export const exportChargesXlsx: readonly Example[] = [
  { name: 'all', summary: 'The charges of an invoice', params, answer: { status: 200 } },
]
