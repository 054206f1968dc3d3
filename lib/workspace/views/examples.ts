import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'

const by = 'session'
const params = { view_id: 'b6a1f0c2-0001' }

const IDLE = {
  id: params.view_id,
  name: 'Idle plans',
  path: '/assets',
  query: 'filter=usage:idle&orderBy=idle+desc',
  url: 'https://console.example.com/assets?filter=usage:idle&orderBy=idle+desc',
  isShared: false,
  isPinned: true,
  position: 0,
  mayChange: true,
  createTime: 1793786400000,
}

export const listViews: readonly Example[] = [
  {
    name: 'own',
    summary: 'A view of the signed-in member',
    by,
    answer: { status: 200, body: { views: [IDLE], mayShare: true } },
  },
]

export const createView: readonly Example[] = [
  {
    name: 'past-due',
    summary: 'Invoices that are past due, for all of the customer',
    by,
    body: { name: 'Past due', path: '/invoices', query: 'filter=status:PAST DUE', isShared: true },
    answer: {
      status: 200,
      body: {
        ...IDLE,
        id: 'b6a1f0c2-0002',
        name: 'Past due',
        path: '/invoices',
        query: 'filter=status:PAST+DUE',
        url: 'https://console.example.com/invoices?filter=status:PAST+DUE',
        isShared: true,
      },
    },
  },
  {
    name: 'same-name',
    summary: 'There is one of this name',
    by,
    body: { name: 'idle PLANS', path: '/assets' },
    answer: problemAnswer(
      'view_exists',
      'One of your views is called “idle PLANS” already. Choose another name.',
    ),
  },
  {
    name: 'bad-address',
    summary: 'An address that the screen would not understand',
    by,
    body: { name: 'Red ones', path: '/assets', query: 'filter=color:red' },
    answer: problemAnswer(
      'invalid_request',
      'query: filter: can be of these only: type, status, plan, usage, domain',
      {
        errors: [
          { pointer: '/query', detail: 'filter: can be of these only: type, status, plan, usage, domain' },
        ],
      },
    ),
  },
  {
    name: 'by-key',
    summary: 'An API key has no navigation',
    body: { name: 'Idle plans', path: '/assets' },
    answer: problemAnswer('permission_denied', 'Views are saved and changed by a signed-in member alone.'),
  },
]

export const changeView: readonly Example[] = [
  {
    name: 'unpinned',
    summary: 'Out of the navigation',
    by,
    params,
    body: { isPinned: false },
    answer: { status: 200, body: { ...IDLE, isPinned: false } },
  },
]

export const removeView: readonly Example[] = [
  {
    name: 'own',
    summary: 'It is there no more',
    by,
    params,
    body: {},
    answer: { status: 200, body: { ...IDLE, isPinned: false } },
  },
]
