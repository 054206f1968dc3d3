import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  listSessions: 'GET /billing/v1/sessions',
  endSession: 'DELETE /billing/v1/sessions/{session_id}',
})
