import type { Example } from '#lib/platform/api/openapi/example.ts'

export const readPriceVisibility: readonly Example[] = [
  { name: 'shown', summary: 'IT Managers see prices', answer: { status: 200, body: { areHidden: false } } },
]

export const setPriceVisibility: readonly Example[] = [
  {
    name: 'hide',
    summary: 'Hide prices from whoever may not see invoices',
    body: { areHidden: true },
    answer: { status: 200, body: { areHidden: true } },
  },
]
