import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  readDirectory: 'GET /billing/v1/directory',
  issueDirectoryToken: 'POST /billing/v1/directory/tokens',
  revokeDirectoryToken: 'DELETE /billing/v1/directory/tokens/{token_id}',
  mapDirectoryGroup: 'POST /billing/v1/directory/groups',
  unmapDirectoryGroup: 'DELETE /billing/v1/directory/groups/{group_id}/mapping',
})
