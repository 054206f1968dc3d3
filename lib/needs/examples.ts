import { type Example, refused } from '#lib/api/openapi/example.ts'

const by = 'session'
const params = { need_id: 'past-due:USD:default' }
const SEEN = '00000000000000000000000000000000'

export const listNeeds: readonly Example[] = []
export const dismissNeed: readonly Example[] = [
  {
    name: 'by-key',
    summary: 'An API key has seen nothing',
    params,
    body: { version: SEEN },
    answer: refused('permission_denied', 'What needs somebody is put aside by a signed-in member alone.'),
  },
]
export const restoreNeed: readonly Example[] = []

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
