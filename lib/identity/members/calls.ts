import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  listMembers: 'GET /billing/v1/members',
  inviteMember: 'POST /billing/v1/members',
  readMember: 'GET /billing/v1/members/{member_id}',
  changeMember: 'PATCH /billing/v1/members/{member_id}',
  makeMemberLink: 'POST /billing/v1/members/{member_id}/link',
  withdrawInvitation: 'DELETE /billing/v1/members/{member_id}/invitation',
})
