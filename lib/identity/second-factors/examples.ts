import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'

const by = 'session'

export const readFactorDemand: readonly Example[] = [
  { name: 'not-demanded', summary: 'None is demanded', answer: { status: 200, body: { isDemanded: false } } },
]

export const demandFactor: readonly Example[] = [
  {
    name: 'as-it-is',
    summary: 'Demand none',
    by,
    body: { isDemanded: false },
    answer: { status: 200, body: { isDemanded: false } },
  },
  {
    name: 'by-key',
    summary: 'An API key does not change how members sign in',
    body: { isDemanded: false },
    answer: problemAnswer(
      'permission_denied',
      'To say whether second factors are demanded takes a signed-in member. An API key gives nobody anything, so that whoever has stolen one is out when it ends.',
    ),
  },
]

export const resetFactors: readonly Example[] = [
  {
    name: 'none-there',
    summary: 'Somebody who has none here',
    by,
    params: { member_id: 'm-bea' },
    answer: problemAnswer('not_found', 'This member has no second factor here.'),
  },
  {
    name: 'reset',
    summary: 'Somebody who has lost their phone',
    by,
    params: { member_id: 'm-dan' },
    answer: { status: 200, body: { reset: true } },
  },
]
