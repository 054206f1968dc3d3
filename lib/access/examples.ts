import type { Example } from '#lib/api/example.ts'

export const validateKey: readonly Example[] = [
  {
    name: 'valid-key',
    summary: 'A key that works',
    answer: { status: 200, body: { domain: 'northwind.example', email: 'contact@northwind.example' } },
  },
]
