import type { Example } from '#lib/platform/api/openapi/example.ts'

export const readBilledProducts: readonly Example[] = [
  {
    name: 'storage',
    summary: 'What was billed for storage',
    query: { product: 'storage' },
    answer: {
      status: 200,
      body: {
        products: [
          {
            product: 'Storage',
            platform: 'cloud-platform',
            currency: 'USD',
            amount: 330,
            months: [
              { month: 1759276800000, qty: 3600, amount: 180, count: 1 },
              { month: 1756684800000, qty: 3000, amount: 150, count: 1 },
            ],
          },
          {
            product: 'Object storage',
            platform: 'web-services',
            currency: 'EUR',
            amount: -40,
            months: [{ month: 1761955200000, qty: 1, amount: -40, count: 1 }],
          },
        ],
        otherCount: 0,
      },
    },
  },
]
