import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'

const revoked = {
  id: '1793358000000000',
  place: 1,
  createTime: 1793358000000,
  action: 'key.revoked',
  subject: 'K7',
  actor: { kind: 'member', id: 'M1', name: 'Ana Ruiz' },
  requestId: '2b1f8c0e-1d0b-4b1e-9f43-6f6a3e0d7c55',
  session: 'q3Vb0fJxk2Lm',
  address: '192.0.2.7',
  browser: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
  device: 'Firefox on macOS',
  details: {},
}

export const listAuditEvents: readonly Example[] = [
  {
    name: 'one-key',
    summary: 'What happened to a key',
    query: { filter: 'subject:K7' },
    answer: { status: 200, body: { auditEvents: [revoked], rowCount: 1 } },
  },
  {
    name: 'unknown-kind',
    summary: 'A kind that there is not',
    query: { filter: 'kind:weather' },
    answer: problemAnswer(
      'filter_invalid',
      'filter: knows these values of kind only: sign-ins, refused, exports, licenses, invoices, access, notices',
      {
        errors: [
          {
            parameter: 'filter',
            detail:
              'knows these values of kind only: sign-ins, refused, exports, licenses, invoices, access, notices',
          },
        ],
      },
    ),
  },
]

export const exportAuditEvents: readonly Example[] = [
  {
    name: 'one-key',
    summary: 'What happened to a key, for a spreadsheet',
    query: { filter: 'subject:K7' },
    answer: {
      status: 200,
      body: 'time,action,subject,actorKind,actorID,actorName,session,address,browser,requestID,details,id,place,digest\r\n2026-10-30T11:00:00.000Z,key.revoked,K7,member,M1,Ana Ruiz,q3Vb0fJxk2Lm,192.0.2.7,Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0,2b1f8c0e-1d0b-4b1e-9f43-6f6a3e0d7c55,{},1793358000000000,1,59408f6a9a3d1a10f8e93a0bba6c7109c3860f151f70ae980fd4286f0d6105fe\r\n',
    },
  },
]

export const exportAuditEventsXlsx: readonly Example[] = [
  {
    name: 'exports',
    summary: 'Who has exported what',
    query: { filter: 'kind:exports' },
    answer: { status: 200 },
  },
]
