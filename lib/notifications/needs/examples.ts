import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'

const by = 'session'
const params = { need_id: 'past-due:USD:default' }
const [id, version] = [params.need_id, '9a46b87c03473352d7c944e6e5fbd9f2']

const PAST_DUE = {
  id,
  version,
  kind: 'past-due',
  isDismissed: false,
  url: 'https://console.example.com/invoices?filter=status:PAST%20DUE%7CbillingProfile:default%7Ccurrency:USD',
  pastDue: {
    billingProfile: { id: 'default', name: 'northwind' },
    count: 1,
    amount: 1250,
    currency: 'USD',
    dueDate: 1761782400000,
    days: 388,
  },
}
const CHANGE = {
  id: 'change:5f0c6a1e-0002',
  version: 'add021ce981f9cc63d58fc12c0cd1d3e',
  kind: 'change',
  isDismissed: false,
  url: 'https://console.example.com/assets/office-suite-c04d11',
  asset: { id: 'office-suite-c04d11', name: 'Office E1', type: 'office-suite' },
  change: { id: '5f0c6a1e-0002', outcome: 'confirming', from: 100, to: 120, time: 1793614500000 },
}
const LOOKED = ['past-due', 'change', 'renewal', 'idle', 'nearly-full', 'unmatched-lines']

export const listNeeds: readonly Example[] = [
  {
    name: 'admin',
    summary: 'An invoice that is past due, and a change that its vendor has not confirmed',
    answer: { status: 200, body: { count: 2, needs: [PAST_DUE, CHANGE], looked: LOOKED } },
  },
]

export const dismissNeed: readonly Example[] = [
  {
    name: 'seen',
    summary: 'What is past due was seen',
    by,
    params,
    body: { version },
    answer: { status: 200, body: { ...PAST_DUE, isDismissed: true } },
  },
  {
    name: 'by-key',
    summary: 'An API key has seen nothing',
    params,
    body: { version },
    answer: problemAnswer('permission_denied', 'Only a signed-in member can dismiss what needs attention.'),
  },
]

export const restoreNeed: readonly Example[] = [
  {
    name: 'back',
    summary: 'It is there again',
    by,
    params,
    body: {},
    answer: { status: 200, body: PAST_DUE },
  },
]

export const readNeedsMail: readonly Example[] = [
  {
    name: 'not-mailed',
    summary: 'A member who has not asked for it',
    by,
    answer: { status: 200, body: { isOn: false, isPossible: false } },
  },
]

export const setNeedsMail: readonly Example[] = [
  {
    name: 'as-it-is',
    summary: 'No mail',
    by,
    body: { isOn: false },
    answer: { status: 200, body: { isOn: false, isPossible: false } },
  },
]
