import { routesOf } from '#lib/platform/api/call.ts'

export const accessRoutes = routesOf({
  changePassword: 'PUT /auth/v1/password',
  readWays: 'GET /auth/v1/fresh-sign-in',
  proveSession: 'POST /auth/v1/fresh-sign-in',
  redeemLink: 'POST /auth/v1/links',
  askRecovery: 'POST /auth/v1/recoveries',
})

export const memberRoutes = routesOf({
  listMembers: 'GET /billing/v1/members',
  inviteMember: 'POST /billing/v1/members',
  readMember: 'GET /billing/v1/members/{member_id}',
  changeMember: 'PATCH /billing/v1/members/{member_id}',
  makeMemberLink: 'POST /billing/v1/members/{member_id}/link',
  withdrawInvitation: 'DELETE /billing/v1/members/{member_id}/invitation',
})

export const keyRoutes = routesOf({
  validateKey: 'GET /auth/v1/validate',
  listKeys: 'GET /billing/v1/keys',
  issueKey: 'POST /billing/v1/keys',
  readKey: 'GET /billing/v1/keys/{key_id}',
  renameKey: 'PATCH /billing/v1/keys/{key_id}',
  revokeKey: 'DELETE /billing/v1/keys/{key_id}',
  rotateKey: 'POST /billing/v1/keys/{key_id}/rotation',
  revokeLeakedKeys: 'POST /auth/v1/leaked-keys',
})

export const sessionRoutes = routesOf({
  listSessions: 'GET /billing/v1/sessions',
  endSession: 'DELETE /billing/v1/sessions/{session_id}',
})

export const secondFactorRoutes = routesOf({
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

export const signOnRoutes = routesOf({
  readSignOn: 'GET /billing/v1/sign-on',
  addIdentityProvider: 'POST /billing/v1/sign-on/providers',
  changeIdentityProvider: 'PATCH /billing/v1/sign-on/providers/{provider_id}',
  removeIdentityProvider: 'DELETE /billing/v1/sign-on/providers/{provider_id}',
  addSignOnDomain: 'POST /billing/v1/sign-on/domains',
  checkSignOnDomain: 'POST /billing/v1/sign-on/domains/{domain}/check',
  removeSignOnDomain: 'DELETE /billing/v1/sign-on/domains/{domain}',
  setPasswordSignIn: 'PUT /billing/v1/sign-on/passwords',
})

export const directoryRoutes = routesOf({
  readDirectory: 'GET /billing/v1/directory',
  issueDirectoryToken: 'POST /billing/v1/directory/tokens',
  revokeDirectoryToken: 'DELETE /billing/v1/directory/tokens/{token_id}',
  mapDirectoryGroup: 'POST /billing/v1/directory/groups',
  unmapDirectoryGroup: 'DELETE /billing/v1/directory/groups/{group_id}/mapping',
})

export const auditEventRoutes = routesOf({
  listAuditEvents: 'GET /billing/v1/audit-events',
  exportAuditEvents: 'GET /billing/v1/audit-events.csv',
  exportAuditEventsXlsx: 'GET /billing/v1/audit-events.xlsx',
})
