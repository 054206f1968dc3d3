import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  listKeys: 'GET /billing/v1/keys',
  issueKey: 'POST /billing/v1/keys',
  readKey: 'GET /billing/v1/keys/{key_id}',
  renameKey: 'PATCH /billing/v1/keys/{key_id}',
  revokeKey: 'DELETE /billing/v1/keys/{key_id}',
  rotateKey: 'POST /billing/v1/keys/{key_id}/rotation',
  revokeLeakedKeys: 'POST /auth/v1/leaked-keys',
})
