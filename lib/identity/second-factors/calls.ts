import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  listFactors: 'GET /auth/v1/second-factors',
  addFactor: 'POST /auth/v1/second-factors',
  beginFactor: 'POST /auth/v1/second-factors/beginning',
  removeFactor: 'DELETE /auth/v1/second-factors/{factor_id}',
  renewCodes: 'POST /auth/v1/recovery-codes',
  askPasskey: 'POST /auth/v1/passkey-challenges',
  confirmPasskey: 'POST /auth/v1/fresh-sign-in/challenge',
  readFactorDemand: 'GET /billing/v1/second-factor-demand',
  demandFactor: 'PUT /billing/v1/second-factor-demand',
  resetFactors: 'DELETE /billing/v1/members/{member_id}/second-factors',
})
