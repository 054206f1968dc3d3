import { expect, test } from 'vitest'
import type { View } from '#components/billing/invoices/view.ts'
import { describeFilters } from './describe.ts'

const at = (day: string) => Date.parse(`${day}T00:00:00Z`)
const profiles = [{ id: 'europe', name: 'Payer Europe GmbH' }]

test.each<[View, string[]]>([
  [{}, []],
  [{ filter: { state: ['issued'] }, maxResults: 7, orderBy: 'dueDate asc' }, []],
  [{ search: 'IN-1' }, ['Found by “IN-1”']],
  [{ minCreationTime: at('2026-10-01'), maxCreationTime: at('2026-10-31') }, ['1 Oct 2026 – 31 Oct 2026']],
  [
    {
      filter: {
        status: ['PAST DUE'],
        currency: ['EUR'],
        billingProfile: ['europe', 'gone'],
        issuer: ['AWS'],
      },
    },
    ['Past due', 'Billed to Payer Europe GmbH', 'Billed to gone', 'From AWS', 'EUR'],
  ],
  [{ minAmount: '10.50', filter: { state: ['draft', 'voided'] } }, ['Amount: From 10.5', 'Drafts', 'Voided']],
  [{ maxDueDate: at('2026-12-20') }, ['Due until 20 Dec 2026']],
  [
    { minDueDate: at('2026-11-20'), filter: { dueDate: [String(at('2026-11-30'))] } },
    ['Due from 20 Nov 2026', 'Due 30 Nov 2026'],
  ],
])('describes %j as %j', (view, expected) => {
  expect(describeFilters(view, { profiles })).toEqual(expected)
})
