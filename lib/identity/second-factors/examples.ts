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
      'Requiring two-step verification requires a signed-in member. An API key cannot grant access, so a stolen key is useless once it ends.',
    ),
  },
]

export const resetFactors: readonly Example[] = [
  {
    name: 'none-there',
    summary: 'A member without two-step verification',
    by,
    params: { member_id: 'm-bea' },
    answer: problemAnswer('not_found', 'This member has no two-step verification here.'),
  },
  {
    name: 'reset',
    summary: 'A member who lost their phone',
    by,
    params: { member_id: 'm-dan' },
    answer: { status: 200, body: { reset: true } },
  },
]
