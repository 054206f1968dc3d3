import { octoberInvoice } from '#lib/billing/example-invoices.ts'
import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'

export const listMatches: readonly Example[] = [
  {
    name: 'business',
    summary: 'What has "business" in it',
    query: { search: 'business' },
    answer: {
      status: 200,
      body: {
        assets: [
          {
            id: 'workspace-suite-81f3c2',
            type: 'workspace-suite',
            name: 'Business Plus',
            customerDomain: 'northwind.example',
            quantity: 250,
          },
        ],
        invoices: [],
        billingProfiles: [],
      },
    },
  },
  {
    name: 'number',
    summary: 'Part of the number of an invoice',
    query: { search: '2025-1017' },
    answer: {
      status: 200,
      body: {
        assets: [],
        invoices: [octoberInvoice],
        billingProfiles: [],
      },
    },
  },
  {
    name: 'no-search',
    summary: 'Nothing to look for',
    query: { search: ' ' },
    answer: problemAnswer('invalid_request', 'search: must have a character', {
      errors: [{ parameter: 'search', detail: 'must have a character' }],
    }),
  },
]
