import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'
import { LIST_COLUMNS, LISTS, usualColumns } from './rules.ts'

const by = 'session'
const usual = (list: (typeof LISTS)[number]) => ({
  list,
  columns: usualColumns(list),
  isOwn: false,
  all: [...LIST_COLUMNS[list]],
})

export const readListColumns: readonly Example[] = [
  {
    name: 'usual',
    summary: 'A member who has chosen nothing',
    by,
    answer: { status: 200, body: { lists: LISTS.map(usual) } },
  },
]

const VALIDATION_ERROR = 'must begin with name, which names the rows'

export const setListColumns: readonly Example[] = [
  {
    name: 'fewer',
    summary: 'Licenses first, and no type',
    by,
    body: { list: 'assets', columns: ['name', 'licenses', 'plan', 'usage'] },
    answer: {
      status: 200,
      body: { ...usual('assets'), columns: ['name', 'licenses', 'plan', 'usage'], isOwn: true },
    },
  },
  {
    name: 'usual-again',
    summary: 'Back to the usual ones',
    by,
    body: { list: 'assets', columns: null },
    answer: { status: 200, body: usual('assets') },
  },
  {
    name: 'without-names',
    summary: 'Rows without their names',
    by,
    body: { list: 'assets', columns: ['plan'] },
    answer: problemAnswer('invalid_request', `columns: ${VALIDATION_ERROR}`, {
      errors: [{ pointer: '/columns', detail: VALIDATION_ERROR }],
    }),
  },
]
