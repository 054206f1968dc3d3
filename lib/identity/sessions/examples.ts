import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'

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
            id: 'W2ezwqGmGZ5f0kXgP7rO3bqfZQHhDn1u9sTtYvKcE4A',
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
    summary: 'A session that has ended or does not exist',
    params: { session_id: 'none' },
    answer: problemAnswer('not_found'),
  },
  {
    name: 'sign-out',
    summary: 'Sign a browser out',
    params: { session_id: 'W2ezwqGmGZ5f0kXgP7rO3bqfZQHhDn1u9sTtYvKcE4A' },
    answer: { status: 200, body: { ended: true } },
  },
]
