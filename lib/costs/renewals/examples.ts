import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'

const NOTHING = { count: 0, licenses: 0, idle: 0 }

export const listRenewals: readonly Example[] = [
  {
    name: 'one-month',
    summary: 'A plan whose commitment ends in March',
    query: { month: '2027-03', filter: 'type:workspace-suite' },
    answer: {
      status: 200,
      body: {
        today: 1795392000000,
        months: [
          ...['2026-11', '2026-12', '2027-01', '2027-02'].map((month) => ({ month, ...NOTHING })),
          { month: '2027-03', count: 1, licenses: 60, idle: 3 },
          ...['04', '05', '06', '07', '08', '09', '10'].map((month) => ({
            month: `2027-${month}`,
            ...NOTHING,
          })),
        ],
        types: [{ type: 'workspace-suite', count: 1 }],
        sums: [],
        unpriced: 1,
        isWhole: true,
        renewals: [
          {
            asset: { id: 'workspace-suite-5d20a7', name: 'Enterprise Standard', type: 'workspace-suite' },
            domain: 'northwind.example',
            planName: 'ANNUAL_MONTHLY_PAY',
            time: 1803859200000,
            decideBy: 1803772800000,
            purchased: 60,
            assigned: 57,
            idle: 3,
            renewalType: 'AUTO_RENEW',
            outcome: 'renews',
            happens: 'Renews',
            url: 'https://console.example.com/assets/workspace-suite-5d20a7',
          },
        ],
      },
    },
  },
  {
    name: 'no-month',
    summary: 'A month that is none',
    query: { month: '2027-13' },
    answer: problemAnswer('invalid_request', 'month: must be a month, as in 2026-12', {
      errors: [{ parameter: 'month', detail: 'must be a month, as in 2026-12' }],
    }),
  },
]

export const exportRenewals: readonly Example[] = [
  {
    name: 'columns',
    summary: 'Of a type without commitments: the columns alone',
    query: { filter: 'type:web-services' },
    answer: {
      status: 200,
      body: [
        'id,type,name,customerDomain,planName,renewalDate,decideByDate,purchasedSeats,assignedSeats,idleSeats,renewalType,happens,nextSeats,currency,price,priceMonths,amount,amountPer,yearlyAmount,yearlyIdleAmount,outcome,nextAmount,nextAmountPer,surchargePercent',
        '',
      ].join('\r\n'),
    },
  },
]

export const exportRenewalsXlsx: readonly Example[] = [
  { name: 'all', summary: 'All of the next twelve months', answer: { status: 200 } },
]
