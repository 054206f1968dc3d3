import type { Example } from '#lib/api/openapi/example.ts'

export const readBilledProducts: readonly Example[] = [
  {
    name: 'storage',
    summary: 'What was billed for storage',
    query: { product: 'storage' },
    answer: {
      status: 200,
      body: {
        products: [],
        otherCount: 0,
      },
    },
  },
]
