import { octoberInvoice, septemberInvoice } from '#lib/billing/example-invoices.ts'
import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'

export const compareInvoices: readonly Example[] = [
  {
    name: 'two-months',
    summary: 'October against September',
    query: { from: 'IN-2025-0917', to: 'IN-2025-1017' },
    answer: {
      status: 200,
      body: {
        from: septemberInvoice,
        to: octoberInvoice,
        lineItems: { fromAmount: 1250, toAmount: 1400, effectAmount: 150 },
        rounding: { fromAmount: 0, toAmount: 0, effectAmount: 0 },
        tax: { fromAmount: 0, toAmount: 0, effectAmount: 0 },
        notItemized: { fromAmount: 0, toAmount: 0, effectAmount: 0 },
        total: { fromAmount: 1250, toAmount: 1400, effectAmount: 150 },
        causes: [
          {
            cause: 'amount',
            platform: 'cloud-platform',
            product: 'Compute',
            effectAmount: 120,
          },
          {
            cause: 'usage',
            platform: 'cloud-platform',
            product: 'Storage',
            effectAmount: 30,
            fromQty: 3000,
            toQty: 3600,
          },
        ],
        changes: [
          {
            change: 'changed',
            reasons: ['price'],
            type: 'cloud-platform',
            currency: 'USD',
            effectAmount: 120,
            from: {
              description: 'Compute',
              Details: 'europe-west4',
              qty: 1,
              price: 1100,
              amount: 1100,
              lineCount: 1,
            },
            to: {
              description: 'Compute',
              Details: 'europe-west4',
              qty: 1,
              price: 1220,
              amount: 1220,
              lineCount: 1,
            },
          },
          {
            change: 'changed',
            reasons: ['quantity'],
            type: 'cloud-platform',
            currency: 'USD',
            effectAmount: 30,
            from: { description: 'Storage', qty: 3000, price: 0.05, amount: 150, lineCount: 1 },
            to: { description: 'Storage', qty: 3600, price: 0.05, amount: 180, lineCount: 1 },
          },
        ],
        unchanged: [],
      },
    },
  },
  {
    name: 'not-named',
    summary: 'The second invoice is missing',
    query: { from: 'IN-2025-0917' },
    answer: problemAnswer('invalid_request', 'to: must be an invoice number', {
      errors: [{ parameter: 'to', detail: 'must be an invoice number' }],
    }),
  },
]

export const exportComparison: readonly Example[] = [
  {
    name: 'two-months',
    summary: 'October against September',
    query: { from: 'IN-2025-0917', to: 'IN-2025-1017' },
    answer: {
      status: 200,
      body: 'change,reasons,type,description,fromDetails,toDetails,currency,fromLines,toLines,fromQty,toQty,fromPrice,toPrice,fromAmount,toAmount,effectAmount,cause,causeAmount,changedOn,changedBy,fromLicenses,toLicenses,sure,billed,days,ofDays,daysAmount,fromTaxRate,toTaxRate\r\nchanged,price,cloud-platform,Compute,europe-west4,europe-west4,USD,1,1,1,1,1100,1220,1100.00,1220.00,120.00,,,,,,,,,,,,,\r\nchanged,quantity,cloud-platform,Storage,,,USD,1,1,3000,3600,0.05,0.05,150.00,180.00,30.00,,,,,,,,,,,,,\r\ncause,,cloud-platform,Compute,,,USD,,,,,,,,,,amount,120.00,,,,,,,,,,,\r\ncause,,cloud-platform,Storage,,,USD,,,3000,3600,,,,,,usage,30.00,,,,,,,,,,,\r\n',
    },
  },
]

export const exportComparisonXlsx: readonly Example[] = [
  {
    name: 'two-months',
    summary: 'Two invoices of one platform',
    query: { from: 'IN-2025-0917', to: 'IN-2025-1017' },
    answer: { status: 200 },
  },
]
