import type { Example } from '#lib/platform/api/openapi/example.ts'

export const explainMonth: readonly Example[] = [
  {
    name: 'october',
    summary: 'October against September',
    query: { month: '2025-10' },
    answer: {
      status: 200,
      body: {
        month: 1759276800000,
        previousMonth: 1756684800000,
        currencies: [
          {
            currency: 'USD',
            fromCount: 1,
            toCount: 1,
            fromAmount: 1250,
            toAmount: 1400,
            effectAmount: 150,
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
            unchangedCount: 0,
          },
        ],
        months: [1761955200000, 1759276800000, 1756684800000],
      },
    },
  },
]

export const exportExplanation: readonly Example[] = [
  {
    name: 'october',
    summary: 'October against September',
    query: { month: '2025-10' },
    answer: {
      status: 200,
      body: 'month,currency,platform,product,cause,effectAmount,fromQty,toQty,fromPrice,toPrice,changedOn,changedBy,fromLicenses,toLicenses,sure,billed,days,ofDays,daysAmount,productCount,fromTaxRate,toTaxRate\r\n2025-10,USD,cloud-platform,Compute,amount,120.00,,,,,,,,,,,,,,,,\r\n2025-10,USD,cloud-platform,Storage,usage,30.00,3000,3600,,,,,,,,,,,,,,\r\n',
    },
  },
]

export const exportExplanationXlsx: readonly Example[] = [
  {
    name: 'october',
    summary: 'Why October costs more, for a spreadsheet',
    query: { month: '2025-10' },
    answer: { status: 200 },
  },
]
