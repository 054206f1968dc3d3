import { type Example, refused } from '#lib/api/openapi/example.ts'

export const listSessions: readonly Example[] = [
  {
    name: 'all-sessions',
    summary: 'Who is signed in',
    query: { whose: 'all' },
    answer: {
      status: 200,
      body: {
        sessions: [
          {
            id: '0b54f1de-5d0c-4f0e-9d13-1c5f6ad0a001',
            member: { id: 'm-ana', name: 'Ana Ruiz', email: 'ana@northwind.example' },
            device: 'Firefox on Windows',
            address: '192.0.2.17',
            createTime: 1795334400000,
            lastSeenTime: 1795335000000,
            isCurrent: false,
          },
        ],
        rowCount: 1,
      },
    },
  },
]

export const endSession: readonly Example[] = [
  {
    name: 'unknown-session',
    summary: 'A session that has ended, or that nobody has',
    params: { session_id: 'none' },
    answer: refused('not_found'),
  },
  {
    name: 'sign-out',
    summary: 'Sign a browser out',
    params: { session_id: '0b54f1de-5d0c-4f0e-9d13-1c5f6ad0a001' },
    answer: { status: 200, body: { ended: true } },
  },
]
