import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  validateKey: 'GET /auth/v1/validate',
  changePassword: 'PUT /auth/v1/password',
  readWays: 'GET /auth/v1/fresh-sign-in',
  proveSession: 'POST /auth/v1/fresh-sign-in',
  redeemLink: 'POST /auth/v1/links',
  askRecovery: 'POST /auth/v1/recoveries',
})
