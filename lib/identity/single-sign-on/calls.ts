import { callsOf } from '#lib/platform/api/call.ts'

export const calls = callsOf({
  readSignOn: 'GET /billing/v1/sign-on',
  addIdentityProvider: 'POST /billing/v1/sign-on/providers',
  changeIdentityProvider: 'PATCH /billing/v1/sign-on/providers/{provider_id}',
  removeIdentityProvider: 'DELETE /billing/v1/sign-on/providers/{provider_id}',
  addSignOnDomain: 'POST /billing/v1/sign-on/domains',
  checkSignOnDomain: 'POST /billing/v1/sign-on/domains/{domain}/check',
  removeSignOnDomain: 'DELETE /billing/v1/sign-on/domains/{domain}',
  setPasswordSignIn: 'PUT /billing/v1/sign-on/passwords',
})
